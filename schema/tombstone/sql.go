package tombstone

// Visible is the condition for rows of the tables frames, streams, spans, messages and
// usage that are not deleted. among restricts the tombstones that are read, such as
// " AND session_id = {session:String}", which makes the condition cheap in statements
// about few sessions. The statement has the parameter tenant. The condition uses only
// columns of the tables' sorting keys, so it may stand in PREWHERE before FINAL. If
// nothing was deleted, the count is a constant, and ClickHouse drops the condition.
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

// OfSession restricts Visible to the session of a statement's parameter.
const OfSession = " AND session_id = {session:String}"

// OfSessions restricts Visible to the sessions of a statement's parameter.
const OfSessions = " AND session_id IN {sessions:Array(String)}"
