package tombstone

// Visible is the condition for rows of the tables frames, streams, spans, messages and
// usage that are not deleted. among narrows the sessions that are looked at, such as
// " AND session_id = {session:String}": it makes the condition cheap where the
// statement is about few. The statement has the parameter tenant. All of the condition
// is of the tables' sorting keys, so it may stand in PREWHERE before FINAL. Where
// nothing was deleted, the count is a constant that leaves nothing of it.
func Visible(among string) string {
	of := "WHERE tenant = {tenant:String}" + among
	return `((SELECT count() FROM tombstones ` + of + `) = 0
        OR session_id NOT IN (SELECT session_id FROM tombstones ` + of + `)
        OR (session_id, stream_id) IN (
            SELECT known.session_id, known.stream_id FROM (
                SELECT session_id, stream_id, restored_at FROM restores ` + of + ` UNION ALL
                SELECT session_id, stream_id, toDateTime64(0, 9, 'UTC') FROM streams ` + of + `
                    AND session_id IN (SELECT session_id FROM tombstones ` + of + `)) AS known
            INNER JOIN (
                SELECT session_id, max(until) AS last, max(deleted_at) AS deleted, groupUniqArrayArray(streams) AS listed
                FROM tombstones ` + of + ` GROUP BY session_id) AS gone ON known.session_id = gone.session_id
            WHERE known.stream_id > gone.last AND NOT has(gone.listed, known.stream_id) OR known.restored_at > gone.deleted))`
}

// OfSession narrows Visible to the session that a statement's parameter names.
const OfSession = " AND session_id = {session:String}"

// OfSessions narrows Visible to the sessions that a statement's parameter lists.
const OfSessions = " AND session_id IN {sessions:Array(String)}"
