/* What offices ask, in our words, by the sections of what asks it. */
#include "parts.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Every attack of `sotto audit` is in one of these lists at least; tests/cli/test_regulator.sh compares them.
 */
static void say_membership(FILE *out, const filing_facts *f) {
  filing_say_findings(out, f, "linkteller link-stealing received node-mia entropy lira");
}
static void say_reconstruction(FILE *out, const filing_facts *f) {
  filing_say_findings(out, f, "linkteller link-stealing received");
}
static void say_canaries(FILE *out, const filing_facts *f) {
  filing_say_findings(out, f, "release canary one-run");
}

/* NIST SP 800-226, the pyramid from its top. */
static const filing_question nist[] = {
    {"epsilon", "How strong is the guarantee: its parameters, over all releases?", filing_say_parameters,
     "statement"},
    {"unit", "What is the unit of privacy?", filing_say_unit, "statement"},
    {"variant", "Which variant of differential privacy is promised?", filing_say_variant, "statement"},
    {"composition", "How do releases compose, and who counts them?", filing_say_composition, "statement"},
    {"algorithms", "Which mechanisms, with which sensitivity and noise?", filing_say_mechanisms, "statement"},
    {"correctness", "How is the implementation tested?", say_canaries, "audit"},
    {"utility", "What does the noise cost in utility?", filing_say_utility, "result"},
    {"bias", "Does the noise weigh on small groups?", NULL, "person"},
    {"floating", "Floating-point numbers, randomness, time: which hazards are closed?", filing_say_numerics,
     "program"},
    {"post-processing", "What is computed from releases afterwards?", filing_say_after, "statement"},
    {"public", "What is taken for public, or not protected?", filing_say_unprotected, "statement"},
    {"security", "Who can reach the data and the releases before noise: access, keys, staff?", NULL,
     "person"},
    {"trust", "What is the trust model: who sees what?", filing_say_actors, "statement"},
    {"adversary", "Against whom does the promise hold?", filing_say_adversary, "statement"},
    {"exposure", "What is shown to other parties beyond the releases?", filing_say_exposed, "statement"},
    {"collection", "How were the data collected, and what is exposed there?", NULL, "person"}};
const filing_part filing_nist = {"nist-sp-800-226",
                                 "NIST SP 800-226: the guarantee, from the top of the pyramid down",
                                 "https://doi.org/10.6028/NIST.SP.800-226", nist, COUNT(nist)};

/* EDPB opinion 28/2024, on anonymity of models. */
static const filing_question edpb[] = {
    {"sources", "Which sources were chosen for training, and by which criteria?", NULL, "person"},
    {"minimisation", "How were the data prepared and kept to what is needed?", NULL, "person"},
    {"data", "Which data was the model trained on?", filing_say_data, "statement"},
    {"method", "Which choices of training reduce what can be told of a person?", filing_say_mechanisms,
     "statement"},
    {"measures", "Which privacy-preserving technique, with which parameters?", filing_say_parameters,
     "statement"},
    {"outputs", "What limits what queries reveal?", filing_say_after, "statement"},
    {"not-covered", "What does the technique not cover?", filing_say_unprotected, "statement"},
    {"engineering", "How is the design checked: audits by others than its authors?", NULL, "person"},
    {"membership", "Tests of membership inference, with numbers", say_membership, "audit"},
    {"attributes", "Tests of attribute inference, with numbers", NULL, "person"},
    {"extraction", "Tests of extraction and reconstruction: of edges, with numbers", say_reconstruction,
     "audit"},
    {"canaries", "Tests of the noise, and by planted records with bounds on epsilon", say_canaries, "audit"},
    {"context", "Who may use the model, under which conditions of access?", NULL, "person"},
    {"identification", "Which means are reasonably likely to be used to identify someone?", NULL, "person"},
    {"record", "Where is this documented?", filing_say_proof, "statement"},
    {"verdict", "What the program concludes, which is no legal opinion", filing_say_verdict, "statement"}};
const filing_part filing_edpb = {"edpb-28-2024", "EDPB opinion 28/2024: evidence on anonymity of the model",
                                 "https://www.edpb.europa.eu/our-work-tools/our-documents/"
                                 "opinion-board-art-64/opinion-282024-certain-data-protection-aspects_en",
                                 edpb, COUNT(edpb)};

/* Regulation (EU) 2024/1689, Annex IV. */
static const filing_question annex[] = {
    {"1-purpose", "1. Intended purpose, provider, version of the system", NULL, "person"},
    {"1-software", "1. Versions of software", filing_say_program, "statement"},
    {"1-forms", "1. Forms in which it is put on the market, and instructions for use", NULL, "person"},
    {"2-methods", "2. Methods and steps of development; design choices", filing_say_settings, "run file"},
    {"2-data", "2. Data: provenance, scope, main characteristics", filing_say_data, "statement"},
    {"2-provenance", "2. Data: how obtained and selected, labelling, cleaning", NULL, "person"},
    {"2-oversight", "2. Measures of human oversight", NULL, "person"},
    {"2-validation", "2. Validation and testing, metrics", filing_say_utility, "result"},
    {"2-security", "2. Cybersecurity measures", filing_say_numerics, "program"},
    {"3-limits", "3. Capabilities and limits; what may go wrong", filing_say_limits, "statement"},
    {"4-metrics", "4. Why these metrics are appropriate", NULL, "person"},
    {"5-risks", "5. Risk management system", NULL, "person"},
    {"6-changes", "6. Changes through the lifecycle", NULL, "person"},
    {"7-standards", "7. Harmonised standards applied", NULL, "person"},
    {"8-declaration", "8. EU declaration of conformity", NULL, "person"},
    {"9-monitoring", "9. Monitoring after it is placed on the market", NULL, "person"}};
const filing_part filing_annex_iv = {"ai-act-annex-iv", "AI Act, Annex IV: technical documentation",
                                     "https://eur-lex.europa.eu/eli/reg/2024/1689/oj", annex, COUNT(annex)};

/* Regulation (EU) 2016/679, Article 35(7). */
static const filing_question impact[] = {
    {"operations", "(a) The processing operations", filing_say_program, "statement"},
    {"data", "(a) The data that are processed", filing_say_data, "statement"},
    {"purposes", "(a) Purposes, and the interest pursued", NULL, "person"},
    {"recipients", "(a) Who gets what", filing_say_actors, "statement"},
    {"necessity", "(b) Necessity and proportionality", NULL, "person"},
    {"risk", "(c) Risk: what an adversary learns at most", filing_say_verdict, "statement"},
    {"risk-tested", "(c) Risk: what attacks reached", say_membership, "audit"},
    {"risk-left", "(c) Risk: what is not covered", filing_say_limits, "statement"},
    {"measures", "(d) Measures: noise and accounting", filing_say_composition, "statement"},
    {"measures-own", "(d) Measures: organisation, retention, rights of the persons", NULL, "person"},
    {"evidence", "(d) How compliance is shown", filing_say_proof, "statement"},
    {"views", "Views of the persons concerned, and of the data protection officer", NULL, "person"}};
const filing_part filing_impact = {"dpia", "GDPR, Article 35: appendix to an impact assessment",
                                   "https://eur-lex.europa.eu/eli/reg/2016/679/oj", impact, COUNT(impact)};
