# The commands a newcomer needs: `make demo`, `make check` and `make test`. CMake does the work; this file names it.
JOBS ?= $(shell nproc)
# Two tests more than cores: some wait for the network.
TEST_JOBS ?= $(shell expr $(JOBS) + 2)
# make install PREFIX=/usr DESTDIR=stage: where the library is used, and the folder that stands for / while packaging.
PREFIX ?= /usr/local
DESTDIR ?=

.PHONY: all mpi demo check test test-random fuzz test-packages more-test-packages docs bench reproduction lint format install uninstall packages deb deb-test arm64 release release-test python python-check peers clean build/configured build-test/built

all: build/configured
	cmake --build build -j $(JOBS)

build/configured: packages
	cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF >/dev/null

# The program for runs over several processes of MPI, in build-mpi; installs tests/mpi/packages.txt.
mpi: packages
	@./scripts/packages.sh tests/mpi/packages.txt
	cmake -S . -B build-mpi -G Ninja -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF -DSOTTO_MPI=ON >/dev/null
	cmake --build build-mpi -j $(JOBS) --target sotto

demo: build/configured
	cmake --build build -j $(JOBS) --target sotto
	./scripts/demo.sh build/sotto

# The test build has sanitizers; tests that run without them link the release build's archives.
test-packages:
	@./scripts/packages.sh tests/packages.txt

build-test/built: test-packages build/configured
	cmake --build build -j $(JOBS) --target sotto sotto_app sotto_static sotto_shared
	CC=clang cmake -S . -B build-test -G Ninja -DCMAKE_BUILD_TYPE=Debug -DSOTTO_SANITIZE=ON >/dev/null
	cmake --build build-test -j $(JOBS)

# The quick tests: about a minute on two cores, once they are built.
check: build-test/built
	ctest --test-dir build-test --output-on-failure -j $(TEST_JOBS) --no-tests=error -L '^unit$$'

# Tests of MPI and of browsers skip where their packages cannot be installed.
more-test-packages: packages
	-./scripts/packages.sh tests/mpi/packages.txt
	-./scripts/packages.sh tests/browser.txt

# Seeds of tests are fixed and printed; test-random draws them.
test: more-test-packages build-test/built
	ctest --test-dir build-test --output-on-failure -j $(TEST_JOBS) --no-tests=error

test-random: more-test-packages build-test/built
	SOTTO_TEST_SEED=random ctest --test-dir build-test --output-on-failure -j $(TEST_JOBS) --no-tests=error

# Each fuzz target for so many seconds, in build-fuzz. What fails goes into the target's corpus, which `make test` replays.
FUZZ_SECONDS ?= 60
fuzz: test-packages build/configured
	cmake --build build -j $(JOBS) --target sotto sotto_app sotto_static
	CC=clang cmake -S . -B build-fuzz -G Ninja -DCMAKE_BUILD_TYPE=Debug -DSOTTO_SANITIZE=ON -DSOTTO_FUZZ=ON \
	  -DFUZZ_SECONDS=$(FUZZ_SECONDS) >/dev/null
	cmake --build build-fuzz -j $(JOBS) --target fuzzers
	ctest --test-dir build-fuzz --output-on-failure -j $(JOBS) --no-tests=error -L '^fuzz$$'

# The documents as a site in build/docs, from Sphinx and doxygen (docs/site/packages.txt), which nothing else needs.
docs: build/configured
	cmake --build build -j $(JOBS) --target sotto
	./scripts/site/build.py build/sotto build/docs

# Measures, and packs what benches left in docs/results/, line by line, for a release: bench-raw.tar.gz.
bench: all
	./bench/run.py --peers --out bench.json
	tar --sort=name --owner=0 --group=0 -czf bench-raw.tar.gz -C docs/results $(notdir $(wildcard docs/results/*.jsonl))

lint: build/configured
	@./scripts/packages.sh scripts/lint-packages.txt
	./scripts/lint.sh

format:
	git ls-files '*.c' '*.h' | xargs clang-format -i

# The loader's cache then knows the library, or no more; not while packaging, and for root alone.
loader = $(if $(DESTDIR),true,[ "$$(id -u)" -ne 0 ] || PATH="$$PATH:/sbin:/usr/sbin" ldconfig)

install: all
	DESTDIR="$(abspath $(DESTDIR))" cmake --install build --prefix "$(abspath $(PREFIX))"
	$(loader)

uninstall: build/configured
	DESTDIR="$(abspath $(DESTDIR))" ./scripts/uninstall.sh build "$(abspath $(PREFIX))"
	$(loader)

# Debian packages in dist/; the same in a bare root of Debian 12 (root, debootstrap); a release, made twice and compared, and signed
# with make release KEY=FILE (Ed25519, PEM).
deb: packages
	./scripts/deb.sh

deb-test:
	./scripts/deb_test.sh

# Debian's cross compiler and qemu-user in a bare root of Debian 12 (root, debootstrap): the build and the quick tests.
arm64:
	./scripts/arm64.sh

release: packages
	@./scripts/packages.sh python/packages.txt
	./scripts/release.sh --twice $(if $(KEY),--key "$(KEY)")

# Each artefact of a release in dist/ is installed in a folder of its own and trains; all train the same model.
release-test:
	./scripts/release_test.sh

# The wheel and the source distribution of the Python package in dist/python/, and its tests, in virtual environments with packages from PyPI.
python:
	@./scripts/packages.sh python/packages.txt
	./scripts/python.sh
	./scripts/python_sdist.sh

# A part of these tests on the release build, in a minute or two; skips without PyPI.
python-check: build/configured
	cmake --build build -j $(JOBS) --target sotto
	./scripts/python_check.sh

# Sotto compared with other libraries from PyPI, in environments under build-peers; docs/results/peers.md. No test and no build needs it.
# make peers DATA=folder PEERS=--quick: what bench/peers/run.py --help says.
peers: build/configured
	cmake --build build -j $(JOBS) --target sotto bench_chart bench_ring
	./bench/peers/run.py $(if $(DATA),--data-dir "$(DATA)") $(PEERS)

# docs/reproduction.md from bench/reproduction.yaml. Every part takes hours; ONLY=vfgnn,commands runs some, ONLY=none writes the page.
reproduction: build/configured
	cmake --build build -j $(JOBS) --target sotto sotto-bench bench_chart
	./bench/reproduction.py $(if $(DATA),--data "$(DATA)") $(if $(WORK),--work "$(WORK)") $(if $(ONLY),--only "$(ONLY)") $(if $(QUICK),--quick)

packages:
	@./scripts/packages.sh

clean:
	rm -rf build build-*
