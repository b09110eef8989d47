package migrate

import "fmt"

// Progress is the statement that a run executes.
type Progress struct {
	Migration   string `json:"migration,omitempty"` // its name; "" before the first one
	Step, Steps int    // the statement, counted from 1, and how many the migration has
	Holder      string `json:"holder,omitempty"` // the process that migrates, if it is another one
}

// String returns the progress for people: migrating 0018_settled_ends 2/5.
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
