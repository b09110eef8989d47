// Package change announces in JetStream which sessions' stored data has changed, so that the caches
// of all server processes release them.
//
// A component that changes what readers see of a session writes to ClickHouse first and then
// announces the session. These components are the sink (after an insert and before it acknowledges
// the blocks), deletion, erasure, redecoding, masking of secrets, and retention. An announcement is
// a message of the stream StreamName and holds the hashes of up to sessionsPerMessage sessions.
//
// A Log holds the announcements since its first use. Log.Sync returns once every announcement that
// was acknowledged before the call is in the log. So a value that was read after an entry of the
// log, and whose session has no later entry, is current.
package change
