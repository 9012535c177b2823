// Package judge turns an evaluation result, as a log record states it, into a
// verdict span that is tied to what was judged.
//
// Words:
//
//   - result: a log record named gen_ai.evaluation.result
//   - subject: what was judged: a step, an artifact, an effect or a task, by id
//   - target: the step that the verdict links to
//   - context: trace id and span id that the record itself carries
//   - orphan: a result that states no subject; it is kept and tied to nothing
//   - comparable: states verifier, version, kind, scale and subject, so that its
//     score may stand beside others of the same metric
//
// A subject is only ever what the record states. Nothing is looked up, and a
// number becomes no verdict: what passes is the verifier's to say.
//
// It does not aggregate, does not remember earlier results, and does not keep
// the explanation, which is content.
package judge
