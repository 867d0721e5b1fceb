# Certificates of other dates, for scripts about clocks, after common.sh.
printf '[ca]\ndefault_ca=all\n[all]\ndatabase=index.txt\nnew_certs_dir=.\ndefault_md=default\npolicy=any\ncopy_extensions=copyall\nunique_subject=no\nrand_serial=yes\n[any]\ncommonName=supplied\n' > dates.cnf

# dated FOLDER NAME START END: gives the party's folder a certificate of its key and these dates.
dated() {
  openssl req -x509 -key "$1/key.pem" -subj "/CN=$2" -addext "subjectAltName=DNS:$2" -out "$1/plain.crt" 2> /dev/null
  openssl x509 -in "$1/plain.crt" -x509toreq -signkey "$1/key.pem" -copy_extensions copyall -out "$1/dated.csr" 2> /dev/null
  : > index.txt
  openssl ca -batch -selfsign -config dates.cnf -keyfile "$1/key.pem" -in "$1/dated.csr" -out "$1/own.crt" -notext \
    -startdate "$3" -enddate "$4" 2> ca.log || { cat ca.log >&2; fail "no certificate of $3"; }
  chmod 644 "$1/own.crt"
}
