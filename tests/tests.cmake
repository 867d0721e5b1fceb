# What kind of test each is, by its name; a test that no list names is `unit` and runs with sanitizers, its files in memory.

# More than two seconds of a processor. The longest begin first, so that none is left alone at the end.
set(LONGEST_TESTS
  "^(app\\.verb_faults|methods\\.(conformance_(deaths|parties|party_deaths|party_worlds|worlds)|hostile_(answers|numbers|party))|mpi\\.(audit|killed_rank|ranks)|run\\.call_faults|cli\\.(documents|family_methods|noise_faults|noise_sites|party_left|report_browser|self_audit|valgrind)|golden\\.golden|net\\.worlds(_planted)?)$")
set(SLOW_TESTS
  "^(app\\.(help_defaults|verb_faults)|audit\\.(canary|mechanisms|members_labels)|cli\\.(alerts|expect|pilots|transfers|audit|bench|board_browser|family|family_methods|half_noise|install|json|report|noise_faults|noise_sites|readers|plan|predict_new|progress|report_browser|self_audit|serve|serve_worlds|split_time|train|valgrind|vesper)|dp\\.(account_extreme|ledger_compose|noise)|golden\\.golden|gw\\.compare|house\\.add_method|methods\\.(batches|conformance_.*|extra_hop|family_memory|hostile_(answers|numbers|party)|nights|node|progap_charges|published|vfgnn|vfgnn_secrecy|vfgnn_server)|mpi\\..*|mpc\\.projection|net\\.lying_server|party\\.(align|align_transcript|secure_sum)|pmp\\.sensitivity_search|protocols\\.subgraphs|run\\.(call_faults|refusals)|tensor\\.kernels)$")
set(NET_TESTS
  "^(cli\\.(board$|party|serve_party|start_party|align_party|two_tables|documents|operate|watch)|party\\.(align_party|frame_table|mesh|wire|wire_flood|wire_hostile|wire_identity)$|net\\.((lying|poisoning|helper)_party|lying_answer|worlds|worlds_planted)$|methods\\.conformance_part)")

# Without sanitizers: statistics of many draws, searches, trainings of all methods, and thousands of processes that are killed and begun again. Memory of
# the same code is looked at by the tests of its parts.
set(PLAIN_TESTS
  "^(cli\\.serve_(party_)?worlds|methods\\.(conformance_deaths|conformance_party_deaths|extra_hop)|net\\.lying_groups|audit\\.mechanisms|pmp\\.sensitivity_search)$")

# On a disk: order of fsync, a full disk, kills between writes.
set(DISK_TESTS "^(run\\.call_faults)$")
