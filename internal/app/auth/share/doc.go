// Package share opens one session, or a time span of it, to users without an account, by a link.
// The answers to them are masked again by the rules for secrets, and contain only data of the span.
// docs/adr/0016-shares.md explains the design.
package share
