package printers

import (
	"fmt"
	"io"
	"strings"

	"tapedeck/internal/app/auth/audit"
	"tapedeck/internal/console"
)

// AuditTable is a list of entries of the audit log.
type AuditTable struct{ table *console.Table }

// NewAuditTable begins a list.
func NewAuditTable(out io.Writer) *AuditTable {
	t := console.NewTable(out, "time", "who", "from", "tenant", "action", "object", "outcome", "request")
	t.Optional("request", "tenant", "from")
	return &AuditTable{t}
}

// Add adds an entry.
func (t *AuditTable) Add(e *audit.Entry) {
	outcome := string(e.Outcome)
	if e.Status != 0 && e.Outcome != audit.Done {
		outcome = fmt.Sprintf("%s (%d)", outcome, e.Status)
	}
	t.table.Row(console.LocalTime(e.At), whoText(e), e.Remote, e.Tenant, e.Action,
		console.Clip(strings.TrimSpace(e.Object+" "+e.Detail), 60), outcome, e.RequestID)
}

// Flush writes the list.
func (t *AuditTable) Flush() error { return t.table.Flush() }

// whoText names a principal.
func whoText(e *audit.Entry) string {
	p := e.Principal
	if p.ID == "" {
		return orUnknown(p.Name)
	}
	return console.Clip(p.Name, 40) + " (" + p.ID + ")"
}

func orUnknown(name string) string {
	if name == "" {
		return Unknown
	}
	return name
}
