#!/usr/bin/env python3
"""Private set intersection by SecretFlow's library (elliptic curve Diffie-Hellman on Curve25519), both parties in one process as threads."""
import os
import sys
import tempfile
import threading

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import peer
import spu.libspu.link as link
import spu.psi as psi


def write(path, ids):
    with open(path, "w", encoding="utf-8") as file:
        file.write("id\n" + "".join(f"{one}\n" for one in ids))


def party(rank, folder, description, found):
    context = link.create_mem(description, rank)
    config = psi.PsiExecuteConfig(
        protocol_conf=psi.PsiProtocolConfig(protocol=psi.PsiProtocol.PROTOCOL_ECDH, receiver_rank=0, broadcast_result=True,
                                            ecdh_params=psi.EcdhParams(curve=psi.EllipticCurveType.CURVE_25519)),
        input_params=psi.InputParams(path=f"{folder}/{rank}.csv", selected_keys=["id"], keys_unique=True),
        output_params=psi.OutputParams(path=f"{folder}/{rank}-out.csv"))
    found[rank] = psi.psi_execute(config, context)
    context.stop_link()


def work(job):
    ids, found, description = job["options"]["ids"], {}, link.Desc()
    for rank in range(2):
        description.add_party(f"party{rank}", f"mem{rank}")
    with tempfile.TemporaryDirectory() as folder:
        for rank, first in enumerate((0, ids // 2)):
            write(f"{folder}/{rank}.csv", [f"person-{job['seed']}-{i}" for i in range(first, first + ids)])
        threads = [threading.Thread(target=party, args=(rank, folder, description, found)) for rank in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return {"items": ids, "value": int(found[0].intersection_count)}


if __name__ == "__main__":
    peer.main(work, "spu")
