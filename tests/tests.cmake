# What kind of test each is, by its name; a test that no list names is `unit` and runs with sanitizers, its files in memory.

# The longest, longest first: they begin in this order, so that none is left alone at the end, also where no earlier run says
# how long each takes.
set(LONGEST_TESTS
  app.verb_faults cli.noise_sites audit.canary methods.hostile_party methods.hostile_numbers cli.self_audit cli.expect
  methods.conformance_worlds methods.conformance_deaths golden.golden methods.conformance_party_deaths
  methods.conformance_parties methods.conformance_matrix run.call_faults mpi.ranks mpi.predict cli.report_browser cli.site_browser cli.party_left
  cli.noise_faults net.worlds mpi.import cli.family_methods cli.documents mpi.audit methods.conformance_resume cli.transfers
  cli.party_options cli.party_gwldp methods.conformance_party_worlds net.worlds_planted cli.party_faults cli.valgrind
  cli.readers cli.party_fedavg cli.party_vfgnn_kill methods.nights cli.alerts mpi.generate cli.progress cli.party_predict
  cli.serve_party cli.serve_holders cli.serve_label_party cli.report_methods mpi.cells methods.conformance_charges cli.install methods.batches methods.conformance_party_matrix
  methods.hostile_answers cli.party_names_holders cli.party_fed_node mpi.killed_rank)
# More than two seconds of a processor.
set(SLOW_TESTS
  "^(app\\.(help_defaults|verb_faults)|audit\\.(canary|mechanisms|members_labels)|cli\\.(alerts|expect|pilots|transfers|audit|bench|board_browser|family|family_methods|half_noise|install|json|report|noise_faults|noise_sites|readers|plan|plan_counts|predict_new|progress|report_browser|self_audit|serve|serve_worlds|site_browser|split_time|train|valgrind|vesper)|dp\\.(account_extreme|ledger_compose|noise)|golden\\.golden|gw\\.compare|house\\.add_method|methods\\.(batches|conformance_.*|extra_hop|family_memory|hostile_(answers|numbers|party)|nights|node|progap_charges|published|sums_worlds|vfgnn|vfgnn_secrecy|vfgnn_server)|mpi\\..*|mpc\\.projection|net\\.lying_server|party\\.(align|align_transcript|secure_sum)|pmp\\.sensitivity_search|protocols\\.subgraphs|run\\.(call_faults|refusals)|tensor\\.kernels)$")
set(NET_TESTS
  "^(cli\\.(board$|party|serve_party|serve_holders|serve_label_party|report_methods|start_party|align_party|two_tables|documents|operate|watch)|party\\.(align_party|frame_table|mesh|wire|wire_flood|wire_hostile|wire_identity)$|net\\.((lying|poisoning|helper)_party|lying_answer|worlds|worlds_planted)$|methods\\.conformance_part)")

# Without sanitizers: statistics of many draws, searches, trainings of all methods, scripts that train and predict many times,
# and thousands of processes that are begun again. Memory of the same code is looked at by the tests of its parts, of every
# method by methods.conformance_matrix, _parties and _resume, and of every verb by the other scripts and app.verb_faults.
set(PLAIN_TESTS
  "^(audit\\.canary|cli\\.(alerts|audit|expect|family_methods|pilots|plan_counts|predict_new|self_audit|transfers|serve_(party_)?worlds|serve_holders|serve_label_party|report_methods)|cli\\.party_(banks|fed_node|fed_predict|fedavg|fills|gwldp|holders_next_day|left|names_.*|next_day|options|predict|vesper_holders|vfgnn|vfgnn_apart|vfgnn_cells|vfgnn_predict)|methods\\.(conformance_deaths|conformance_party_deaths|conformance_party_worlds|conformance_worlds|extra_hop|hostile_party|sums_worlds)|net\\.lying_groups|audit\\.mechanisms|pmp\\.sensitivity_search)$")

# On a disk: order of fsync, a full disk, kills between writes.
set(DISK_TESTS "^(run\\.call_faults)$")
