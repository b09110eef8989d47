package clickhouse

import (
	"embed"

	"tapedeck/schema/sqltemplate"
)

//go:embed sql/*.sql
var files embed.FS

var (
	statements      = sqltemplate.Parse(files)
	recordedStreams = statements.Must("recorded_streams", nil)
	currentStreams  = statements.Must("current_streams", nil)
)

// pageShape holds the values of the template sql/frames.sql.
type pageShape struct {
	Bundle, Bare, Dense bool
	Months              string // "202601, 202602"
	At                  int64  // time of the first frame, ns; 0 for a page that starts at a number
	From, To            uint64 // numbers of frames; To is used if Dense is set
	Types, Agents       bool
	Directions          string // "'receive', 'send'"; "" for all
	Bytes               bool
	Note                uint32
	Limit               int // 0 for none
}
