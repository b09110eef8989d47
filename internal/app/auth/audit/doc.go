// Package audit records the actions on a server and who performed them: reading of recordings,
// changes, logins and refusals. An entry never contains recorded content.
//
// Every route of a server declares its action, and the server records an entry for each request. A
// handler adds to the entry by From. Actions outside of requests are recorded by Log.Record,
// Log.Note and Log.Refused. Entries go through JetStream, which every role uses, to the table
// audit_log in ClickHouse. The decision record in docs/adr explains the design.
package audit
