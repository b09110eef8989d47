package bench

import (
	"embed"
	"strings"

	"tapedeck/schema/sqltemplate"
)

//go:embed sql/*.sql
var files embed.FS

var (
	statements = sqltemplate.Parse(files)

	allTableSizes    = statementOf("all_table_sizes")
	busyFrames       = statementOf("busy_frames")
	columnSizes      = statementOf("column_sizes")
	countFrames      = statementOf("count_frames")
	storedLines      = statementOf("stored_lines")
	countPeer        = statementOf("count_peer")
	createLines      = statementOf("create_lines")
	createPeer       = statementOf("create_peer")
	frameTime        = statementOf("frame_time")
	insertLines      = statementOf("insert_lines")
	insertRecordings = statementOf("insert_recordings")
	insertStreams    = statementOf("insert_streams")
	nextSeq          = statementOf("next_seq")
	recordedBytes    = statementOf("recorded_bytes")
	runningMerges    = statementOf("running_merges")
	sessionFrames    = statementOf("session_frames")
	tableSizes       = statementOf("table_sizes")
	wholeDownloads   = statementOf("whole_downloads")
)

// statementOf returns the statement sql/<name>.sql.
func statementOf(name string) string { return strings.TrimSpace(statements.Must(name, nil)) }
