package report

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tapedeck/tools/systemtest/commands/commandtest"
)

// Names that a spreadsheet would run as formulas: the id of a session and a model.
const (
	formulaSession = "=1+billed-cells"
	formulaModel   = "@sum-model"
)

const formulaConversation = `{"sessionId":"` + formulaSession + `","version":"2.0.1","type":"user","message":{"role":"user","content":"Read a.txt"},"uuid":"c1","timestamp":"2026-01-12T00:00:00.000Z"}
{"parentUuid":"c1","sessionId":"` + formulaSession + `","version":"2.0.1","message":{"id":"msg_billed_cells","type":"message","role":"assistant","model":"` + formulaModel + `","content":[{"type":"text","text":"I will."}],"stop_reason":"end_turn","usage":{"input_tokens":4,"output_tokens":60}},"requestId":"req_cells","type":"assistant","uuid":"c2","timestamp":"2026-01-12T00:00:02.000Z"}
`

// The tables of a bill's evidence have an apostrophe before formulas, and none with --raw and raw=1.
// The rows, whose SHA-256 the bill states, are as recorded in both.
func TestEvidenceCells(t *testing.T) {
	s := commandtest.Shared(t)
	s.Must(t, "prices", "import", priceFile(t, "accounts: [{tag: cells_customer, zone: UTC, prefix: CELLS-}]\n"))
	defer func() { s.Must(t, "prices", "import", priceFile(t, "")) }()
	s.Must(t, "record", "--clock", "frame", "--dialect", "claude-code", "--tag", "cells_customer=c", commandtest.TextFile(t, []byte(formulaConversation)))
	s.Must(t, "bills", "close", "2026-01", "--account", "cells_customer=c")

	directory := func(flags ...string) string {
		dir := filepath.Join(t.TempDir(), "evidence")
		if _, errs, exit := s.Run(t, append([]string{"bills", "export", "CELLS-000001", dir, "--evidence"}, flags...)...); exit != 0 {
			t.Fatal(errs)
		}
		return dir
	}
	fetched := func(query string) string {
		status, body, _ := s.Get(t, "/v1/bills/CELLS-000001/evidence"+query)
		if status != 200 {
			t.Fatalf("evidence%s: %d %s", query, status, body)
		}
		return unzipped(t, body)
	}
	for name, tc := range map[string]struct{ dir, before string }{
		"the command": {directory(), "'"}, "the command with --raw": {directory("--raw"), ""},
		"the API": {fetched(""), "'"}, "the API with raw=1": {fetched("?raw=1"), ""},
	} {
		column := func(file, name string) string {
			text, err := os.ReadFile(filepath.Join(tc.dir, file))
			if err != nil {
				t.Fatal(err)
			}
			rows, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
			if err != nil || len(rows) < 2 {
				t.Fatalf("%s: %v, %q", file, err, text)
			}
			for i, head := range rows[0] {
				if head == name {
					return rows[1][i]
				}
			}
			t.Fatalf("%s has no column %s: %q", file, name, rows[0])
			return ""
		}
		for _, cell := range []struct{ file, column, want string }{
			{"sessions.csv", "session_id", tc.before + formulaSession},
			{"lines.csv", "model", tc.before + formulaModel},
			{"rows.csv", "session_id", formulaSession},
			{"rows.csv", "model", formulaModel},
		} {
			if got := column(cell.file, cell.column); got != cell.want {
				t.Errorf("%s: %s of %s is %q, not %q", name, cell.column, cell.file, got, cell.want)
			}
		}
	}
}
