// Package audit records who did what on a server: reading of what was recorded, changes,
// logins and refusals. An entry never holds recorded content.
//
// Every route of a server declares its action, and the server records an entry for each
// request. A handler adds to it by From. What happens outside of requests is recorded by
// Log.Record, Log.Note and Log.Refused. Entries go through JetStream, which every role has, to the
// table audit_log in ClickHouse. docs/adr has the reasons.
package audit
