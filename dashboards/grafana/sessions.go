package grafana

const ofSessions = `FROM reports_sessions
WHERE $__timeFilter_ms(started_at)
  AND $__conditionalAll(tenant IN (${tenant:sqlstring}), $tenant)
  AND $__conditionalAll(hasAny(tags, [${tag:sqlstring}]), $tag)
  AND $__conditionalAll((tenant, session_id) IN (SELECT tenant, session_id FROM reports_calls WHERE model IN (${model:sqlstring})), $model)`

func sessions() *Dashboard {
	return &Dashboard{
		UID: "tapedeck-sessions", Title: "tapedeck: sessions", From: "now-24h",
		About:     "Recorded sessions, with links to the UI. A session counts when it began.",
		Variables: []Variable{chooseClickHouse, tenant, calledModel, tag, uiAddress},
		Panels: []Panel{
			one("Sessions", "Sessions that began in the range.", "short", "SELECT count() AS sessions "+ofSessions),
			one("Running", "Sessions of which a stream has not ended.", "short", "SELECT countIf(NOT ended) AS running "+ofSessions),
			one("Cut off", "Sessions whose last stream ended with an error of its connection.", "short", "SELECT countIf(cut) AS cut "+ofSessions),
			one("Frames", "Recorded frames.", "short", "SELECT sum(frames) AS frames "+ofSessions),
			one("Bytes", "Bytes of recorded frames.", "bytes", "SELECT sum(bytes) AS bytes "+ofSessions),
			one("Median duration", "Median time from the first frame to the end.", "s", "SELECT quantileExactInclusive(0.5)(seconds) AS median "+ofSessions),
			over("Sessions by tenant", "Sessions that began then.", "short", "SELECT $__timeInterval(started_at) AS time, tenant AS series, count() AS sessions "+ofSessions+"\nGROUP BY time, series\nORDER BY time"),
			over("Sessions by dialect", "Sessions that began then. One of several dialects counts under each.", "short", "SELECT $__timeInterval(started_at) AS time, arrayJoin(dialects) AS series, count() AS sessions "+ofSessions+"\nGROUP BY time, series\nORDER BY time"),
			over("Frames by tenant", "Frames of the sessions that began then.", "short", "SELECT $__timeInterval(started_at) AS time, tenant AS series, sum(frames) AS frames "+ofSessions+"\nGROUP BY time, series\nORDER BY time"),
			over("Bytes by tenant", "Bytes of the sessions that began then.", "bytes", "SELECT $__timeInterval(started_at) AS time, tenant AS series, sum(bytes) AS bytes "+ofSessions+"\nGROUP BY time, series\nORDER BY time"),
			{
				Kind: table, Title: "Newest sessions", About: "The 200 sessions that began last.", Unit: "short", Width: 24, Height: 12, SessionLink: true,
				Units:   map[string]string{"seconds": "s", "bytes": "bytes"},
				Queries: []Query{{SQL: "SELECT started_at AS started, session_id AS session, tenant, title, if(ended, if(cut, 'cut off', 'ended'), 'running') AS state, seconds, frames, bytes, arrayStringConcat(dialects, ', ') AS dialect, arrayStringConcat(tags, ', ') AS tag " + ofSessions + "\nORDER BY started DESC\nLIMIT 200"}},
			},
		},
	}
}
