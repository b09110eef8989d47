package rollup

import "tapedeck/query"

// Source selects the optional parts of the templates of sql/counted_usage.sql.
type Source struct {
	Settled   bool // rows of batches are read
	Unsettled bool // rows are made of sessions, those of the table unsettled_sessions or all
	Remade    bool // there are sessions in the table made_sessions
	All       bool // rows are made of all sessions
	// OfSessions reports that only the sessions of the parameter sessions are read.
	OfSessions bool
}

// Source returns the source that reads a view.
func (v *View) Source() Source {
	return Source{Settled: !v.All, Unsettled: v.All || len(v.Unsettled) > 0, Remade: len(v.Made) > 0, All: v.All}
}

// Args returns the parameters of the statements that read a view.
func (v *View) Args() query.Args {
	return query.Args{"batches": v.IDs(), "recent": v.Recent().ID}
}

// Counted are the parameters of the templates "counted_usage", "counted_calls" and "counted_tools".
type Counted struct {
	Source
	Columns string // SQL
	Where   string // SQL: a condition on the settled rows that begins with AND, or ""
	Rows    string // SQL: a condition on the facts of which rows are made that begins with AND, or ""
	streams string
}

// Counted returns the parameters of the templates "counted_usage", "counted_calls" and
// "counted_tools". streams is a condition on the sessions of streams that begins with AND, or "";
// only "counted_usage" reads it.
func (s Source) Counted(columns, where, rows, streams string) Counted {
	return Counted{s, columns, where, rows, streams}
}

// Made are the parameters of the templates "made_usage" and "made_charges". Charges selects the
// columns that only the latter reads.
type Made struct {
	Plain, Care, Streams string
	Charges              bool
}

// Made returns the parameters of the template "made_usage".
func (c Counted) Made(plain, care string) Made {
	if c.All {
		return Made{Plain: plain, Care: care, Streams: c.streams}
	}
	return Made{Care: care, Streams: c.streams + " AND session_id IN (SELECT session_id FROM unsettled_sessions)"}
}
