package report

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tapedeck/query/billing/bills"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// billedConversation has 4 input tokens, 100 written to a cache, 1,000 read from one and 60
// output tokens: at 3, 3.75, 0.3 and 15 dollars for a million 0.001587 dollars.
const billedConversation = `{"sessionId":"billed-1","version":"2.0.1","type":"user","message":{"role":"user","content":"Read a.txt"},"uuid":"b1","timestamp":"2026-01-10T00:00:00.000Z"}
{"parentUuid":"b1","sessionId":"billed-1","version":"2.0.1","message":{"id":"msg_billed","type":"message","role":"assistant","model":"claude-sonnet-4-5","content":[{"type":"text","text":"I will."}],"stop_reason":"end_turn","usage":{"input_tokens":4,"cache_creation_input_tokens":100,"cache_read_input_tokens":1000,"output_tokens":60}},"requestId":"req_1","type":"assistant","uuid":"b2","timestamp":"2026-01-10T00:00:02.000Z"}
`

// hostileCustomer has characters of paths, of CSV and of formulas.
const hostileCustomer = `=../../x,"y"`

// A period of an account whose name is hostile is previewed, closed, shown, verified with its
// frames, and exported with its evidence.
func TestBills(t *testing.T) {
	s := commandtest.Shared(t)
	s.Must(t, "prices", "import", priceFile(t, "accounts: [{tag: billed_customer, zone: Europe/Berlin, prefix: TEST-}]\n"))
	defer func() { s.Must(t, "prices", "import", priceFile(t, "")) }()
	s.Must(t, "record", "--clock", "frame", "--dialect", "claude-code", "--tag", "billed_customer="+hostileCustomer, commandtest.TextFile(t, []byte(billedConversation)))
	account := "billed_customer=" + hostileCustomer

	out := s.Must(t, "bills", "list", "--account", account, "--to", "2026-01")
	commandtest.Contains(t, "bills list", out, account, "2026-01", "draft", "0.00 USD")
	out = s.Must(t, "bills", "preview", "2026-01", "--account", account)
	commandtest.Contains(t, "bills preview", out, "preview", "cache_write_tokens", "exact 0.001587", "Europe/Berlin")
	for _, tc := range []struct{ want, period, account string }{
		{"is not a month", "2026-1", account},
		{"There is no account", "2026-01", "tenant"},
		{"There is no usage of the account", "2026-01", "billed_customer=typo"},
		{"ends on", "2061-01", account},
	} {
		if _, errs, exit := s.Run(t, "bills", "close", tc.period, "--account", tc.account); exit == 0 || !strings.Contains(errs, tc.want) {
			t.Errorf("close %s of %s: exit %d, %s", tc.period, tc.account, exit, errs)
		}
	}
	out = s.Must(t, "bills", "close", "2026-01", "--account", account)
	commandtest.Contains(t, "bills close", out, "TEST-000001", "0.001587")
	// A month without usage costs nothing, in cents as in the amounts beside it.
	out = s.Must(t, "bills", "preview", "2026-02", "--account", account)
	commandtest.Contains(t, "bills preview of nothing", out, "total 0.00 USD (exact 0.00, residual 0.00)")
	// The session list shows costs where they are asked for.
	for _, args := range [][]string{{"--min-cost", "0.001"}, {"--max-cost", "0.002"}, {"--sort=-cost"}} {
		commandtest.Contains(t, "sessions with costs", s.Must(t, append([]string{"sessions", "--tag", "billed_customer"}, args...)...), "COST", "$0.0016")
	}
	if out := s.Must(t, "sessions", "--tag", "billed_customer"); strings.Contains(out, "COST") {
		t.Errorf("the session list without costs has their column:\n%s", out)
	}
	if _, errs, exit := s.Run(t, "bills", "close", "2026-01", "--account", account); exit != commandtest.ExitFailed || !strings.Contains(errs, "is closed: bill TEST-000001") {
		t.Errorf("close again: exit %d, %s", exit, errs)
	}
	commandtest.Contains(t, "bills list", s.Must(t, "bills", "list", "--state", "closed", "--from", "2026-01", "--to", "2026-01"), "TEST-000001", "closed")
	commandtest.Contains(t, "bills show", s.Must(t, "bills", "show", "TEST-000001"), "TEST-000001", "cache_read_tokens")
	commandtest.Contains(t, "bills verify", s.Must(t, "bills", "verify", "TEST-000001"), "TEST-000001 equal", "frames of 1 of 1 sessions")
	if _, errs, exit := s.Run(t, "bills", "show", "TEST-000002"); exit != commandtest.ExitFailed || !strings.Contains(errs, `There is no bill "TEST-000002"`) {
		t.Errorf("an unknown bill: exit %d, %s", exit, errs)
	}

	dir := filepath.Join(t.TempDir(), "evidence")
	if _, errs, exit := s.Run(t, "bills", "export", "TEST-000001", dir, "--evidence"); exit != 0 {
		t.Fatal(errs)
	}
	checkEvidence(t, dir)
	if _, errs, exit := s.Run(t, "bills", "export", "TEST-000001", dir, "--evidence"); exit != commandtest.ExitFailed || !strings.Contains(errs, "is there already") {
		t.Errorf("a directory that is there: exit %d, %s", exit, errs)
	}
	if _, errs, exit := s.Run(t, "bills", "export", "TEST-000001", dir+".zip", "--evidence"); exit != 0 {
		t.Error(errs)
	}
	status, body, header := s.Get(t, "/v1/bills/TEST-000001/evidence")
	if status != http.StatusOK || header.Get("Content-Disposition") != `attachment; filename="TEST-000001-evidence.zip"` {
		t.Fatalf("evidence by the API: %d %v", status, header)
	}
	checkEvidence(t, unzipped(t, body))
	if status, body, _ := s.Get(t, "/v1/bills/TEST-000009/evidence"); status != http.StatusNotFound || !bytes.Contains(body, []byte("no bill")) {
		t.Errorf("evidence of no bill: %d %s", status, body)
	}
}

// checkEvidence computes every SHA-256 anew.
func checkEvidence(t *testing.T, dir string) {
	t.Helper()
	read := func(name string) []byte {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	hash := func(name string) string {
		sum := sha256.Sum256(read(name))
		return hex.EncodeToString(sum[:])
	}
	var b bills.Bill
	if err := json.Unmarshal(read("bill.json"), &b); err != nil {
		t.Fatal(err)
	}
	if hash("rows.csv") != b.RowsHash || hash("prices.json") != b.PricesHash || b.Rows != 4 || b.AccountName != hostileCustomer {
		t.Errorf("evidence of %+v", b)
	}
	tapes := 0
	for line := range strings.Lines(string(read("SHA256SUMS"))) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		if hash(name) != sum {
			t.Errorf("%s has another hash than SHA256SUMS says", name)
		}
		if strings.HasSuffix(name, ".tape") {
			tapes++
			commandtest.Contains(t, "sessions.csv", string(read("sessions.csv")), "billed-1,"+name)
		}
	}
	if tapes != 1 {
		t.Errorf("%d tapes", tapes)
	}
}

// unzipped writes the files of an archive to a directory.
func unzipped(t *testing.T, body []byte) string {
	t.Helper()
	archive, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, archive); err != nil {
		t.Fatal(err)
	}
	return dir
}
