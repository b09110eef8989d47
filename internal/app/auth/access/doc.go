// Package access decides which requests a server permits: tokens, the principals that they
// identify, their tenants and scopes.
//
// Tokens are stored in a key-value bucket of JetStream. Every server watches the bucket and checks
// requests against its copy, so a token that is revoked on one server is refused by all servers as
// soon as the change arrives. docs/adr/0012-tokens.md explains the design.
package access
