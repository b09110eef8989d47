package migrate

import "fmt"

// Progress identifies the statement that a run is executing.
type Progress struct {
	Migration   string `json:"migration,omitempty"` // name of the migration; "" before the first
	Step, Steps int    // the statement, counted from 1, and how many the migration has
	Holder      string `json:"holder,omitempty"` // the process that migrates, if it is not this process
}

// String returns the progress as text: migrating 0018_settled_ends 2/5.
func (p Progress) String() string {
	text := "migrating"
	if p.Migration != "" {
		text = fmt.Sprintf("migrating %s %d/%d", p.Migration, p.Step, p.Steps)
	}
	if p.Holder != "" {
		text += " (by " + p.Holder + ")"
	}
	return text
}
