// Package share opens one session, or a span of its time, to people without an account, by a
// link. What they read is masked by the rules for secrets once more, and belongs to the span.
// docs/adr/0016-shares.md has the reasons.
package share
