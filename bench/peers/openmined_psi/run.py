#!/usr/bin/env python3
"""Private set intersection by OpenMined's library (elliptic curve Diffie-Hellman, Golomb-compressed set), both parties in one process."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import peer
import private_set_intersection.python as psi


def work(job):
    ids = job["options"]["ids"]
    mine, theirs = ([f"person-{job['seed']}-{i}" for i in range(first, first + ids)] for first in (0, ids // 2))
    server, client = psi.server.CreateWithNewKey(True), psi.client.CreateWithNewKey(True)
    setup = server.CreateSetupMessage(1e-9, len(mine), theirs, psi.DataStructure.GCS)
    request = client.CreateRequest(mine)
    response = server.ProcessRequest(request)
    common = client.GetIntersection(setup, response)
    return {"items": ids, "value": len(common), "sent_bytes": sum(len(m.SerializeToString()) for m in (setup, request, response))}


if __name__ == "__main__":
    peer.main(work, "openmined-psi")
