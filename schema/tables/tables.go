// Package tables declares the contents of each ClickHouse table, so that erasure, retention and
// their tests cover every table.
package tables

import "slices"

// Holds is the kind of contents of a table.
type Holds string

const (
	// Recording is recorded data, or data derived from it, of a tenant, a session and a stream.
	// Erasures delete it.
	Recording Holds = "recording"
	// Bill is data that is frozen when a bill is closed. It outlives the recording.
	Bill Holds = "bill"
	// Mark is ids and times that record deletions, so that deleted data stays deleted.
	Mark Holds = "mark"
	// Audit is a record of who did what. It has ids and names, no content of recordings, and a
	// separate retention time.
	Audit Holds = "audit"
	// Setting is configuration by operators, without content of recordings.
	Setting Holds = "setting"
)

// Table is a table of the schema.
type Table struct {
	Name  string
	Holds Holds
	// Kind is the kind of retention by which the rows expire; "" if they do not expire.
	Kind string
	// Batches are the batches of settlements that are partitions of the table; "" if it has none.
	Batches Batches
}

// Batches are batches of a settlement, see docs/adr/0026-one-read-model.md.
type Batches string

// A settlement names two batches for each month: of records and calls, and of what the records cost.
const (
	OfRecords Batches = "records"
	OfCosts   Batches = "costs"
)

// Kinds of retention.
const (
	Frames   = "frames"
	Messages = "messages"
	Facts    = "facts"
	Charges  = "charges"
	Bills    = "bills"
)

// All lists the tables of the schema. Of the recordings streams come last, since their rows show
// that a deletion is unfinished.
var All = []Table{
	{"frames", Recording, Frames, ""},
	{"spans", Recording, Facts, ""},
	{"messages", Recording, Messages, ""},
	{"usage", Recording, Charges, ""},
	{"settled_usage", Recording, Charges, OfRecords},
	{"settled_charges", Recording, Charges, OfRecords},
	{"settled_costs", Recording, Charges, OfCosts},
	{"settled_model_costs", Recording, Charges, OfCosts},
	{"settled_sessions", Recording, Facts, OfRecords},
	{"settled_calls", Recording, Facts, OfRecords},
	{"settled_tools", Recording, Facts, OfRecords},
	{"notes", Recording, Charges, ""},
	{"alerts", Recording, Facts, ""},
	{"duplicate_usage", Recording, Charges, ""},
	{"redecodes", Recording, Charges, ""},
	{"streams", Recording, Charges, ""},
	{"bills", Bill, Bills, ""},
	{"bill_rows", Bill, Bills, ""},
	{"tombstones", Mark, "", ""},
	{"restores", Mark, "", ""},
	{"erasures", Mark, "", ""},
	{"expirations", Mark, "", ""},
	{"retention_policies", Setting, "", ""},
	{"audit_log", Audit, "", ""},
	{"settlements", Mark, "", ""},
	{"price_tables", Setting, "", ""},
	{"schema_migrations", Setting, "", ""},
	{"schema_steps", Setting, "", ""},
	{"schema_lock", Setting, "", ""},
}

// OfSession reports whether the rows of the table are on the shard of their session on a cluster. The
// other tables are on the first shard.
func (t Table) OfSession() bool { return t.Holds == Recording }

// Names returns the names of the tables that hold any of the given kinds of contents, in order.
func Names(holds ...Holds) []string {
	var list []string
	for _, t := range All {
		for _, h := range holds {
			if t.Holds == h {
				list = append(list, t.Name)
			}
		}
	}
	return list
}

// OfKind returns the names of the tables whose rows expire by a kind of retention.
func OfKind(kind string) []string {
	var list []string
	for _, t := range All {
		if t.Kind == kind {
			list = append(list, t.Name)
		}
	}
	return list
}

// Settled returns the names of the tables with any of the given batches of settlements, in order.
func Settled(of ...Batches) []string {
	var list []string
	for _, t := range All {
		if slices.Contains(of, t.Batches) {
			list = append(list, t.Name)
		}
	}
	return list
}
