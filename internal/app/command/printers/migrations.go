package printers

import (
	"fmt"
	"io"
	"strings"

	"tapedeck/internal/console"
	"tapedeck/schema/migrate"
)

// MigrationPlan writes what would be applied, statement by statement.
func MigrationPlan(out io.Writer, p *migrate.Plan) {
	if len(p.Migrations) == 0 {
		fmt.Fprintln(out, "The tables are up to date.")
	}
	for _, m := range p.Migrations {
		fmt.Fprintln(out, m.Name)
		if m.Oldest > 0 {
			fmt.Fprintf(out, "  programs without migration %04d cannot use the database afterwards\n", m.Oldest)
		}
		for _, s := range m.Statements {
			var state string
			switch {
			case s.Done:
				state = "applied before"
			case s.Rewrites:
				state = fmt.Sprintf("works through %s, %s", console.Count(s.Rows, "row"), console.Bytes(s.Bytes))
			default:
				state = "no rows"
			}
			fmt.Fprintf(out, "  %d/%d  %s  (%s)\n", s.Number, len(m.Statements), firstLine(s.Text), state)
		}
	}
}

// firstLine returns the first line of a statement that is not a comment.
func firstLine(statement string) string {
	for line := range strings.Lines(statement) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "--") {
			return line
		}
	}
	return ""
}
