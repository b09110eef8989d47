package report

import (
	"encoding/json"
	"strings"
	"testing"

	"tapedeck/internal/app/command/printers"
	"tapedeck/internal/fulltest"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// TestBillsCloseAll closes a month of three accounts. The dry run before stores nothing: no bill is
// listed, and its amounts are those of the bills that are closed afterwards.
func TestBillsCloseAll(t *testing.T) {
	fulltest.Long(t)
	s := commandtest.Shared(t)
	s.Must(t, "prices", "import", priceFile(t, "accounts: [{tag: all_customer, prefix: ALL-}, {tag: all_project, prefix: PRO-}]\n"))
	defer func() { s.Must(t, "prices", "import", priceFile(t, "")) }()
	for i, tag := range []string{"all_customer=c1", "all_customer=c2", "all_project=p"} {
		text := billedConversation
		for _, id := range []string{"billed", `"b1"`, `"b2"`, "req_1"} {
			text = strings.ReplaceAll(text, id, strings.TrimSuffix(id, `"`)+"all"+tag[len(tag)-1:]+strings.Repeat(`"`, strings.Count(id, `"`)/2))
		}
		text = strings.ReplaceAll(text, `"output_tokens":60`, `"output_tokens":60`+strings.Repeat("00", i+1))
		text = strings.ReplaceAll(text, "2026-01-10", "2025-12-10")
		s.Must(t, "record", "--clock", "frame", "--dialect", "claude-code", "--tag", tag, commandtest.TextFile(t, []byte(text)))
	}
	run := func(args ...string) map[string]printers.ClosedAccount {
		t.Helper()
		var list struct{ Items []printers.ClosedAccount }
		if err := json.Unmarshal([]byte(s.Must(t, append([]string{"bills", "close", "2025-12", "--all", "--json"}, args...)...)), &list); err != nil {
			t.Fatal(err)
		}
		byAccount := map[string]printers.ClosedAccount{}
		for _, item := range list.Items {
			byAccount[item.Account] = item
		}
		return byAccount
	}
	closed := func() string {
		return s.Must(t, "bills", "list", "--state", "closed", "--from", "2025-12", "--to", "2025-12")
	}
	dry := run("--dry-run")
	if out := closed(); strings.Contains(out, "ALL-") || strings.Contains(out, "PRO-") {
		t.Errorf("the dry run closed bills:\n%s", out)
	}
	bills := run()
	for _, want := range []struct{ account, amount, number string }{
		{"all_customer=c1", "0.09", "ALL-000001"}, // 6,000 output tokens at 15 dollars for a million
		{"all_customer=c2", "9", "ALL-000002"},
		{"all_project=p", "900", "PRO-000001"},
	} {
		d, b := dry[want.account], bills[want.account]
		if d.Bill == nil || b.Bill == nil || !d.DryRun || b.DryRun {
			t.Fatalf("%s: dry run %+v, close %+v", want.account, d, b)
		}
		if d.Bill.Number != "" || d.Bill.ClosedAt != nil || b.Bill.Number != want.number {
			t.Errorf("%s: numbers %q and %q, expected none and %s", want.account, d.Bill.Number, b.Bill.Number, want.number)
		}
		if got := d.Bill.Total.String(); got != want.amount || b.Bill.Total.String() != got || d.Bill.RowsHash != b.Bill.RowsHash {
			t.Errorf("%s: dry run %s, closed %s, expected %s and the same rows", want.account, got, b.Bill.Total, want.amount)
		}
	}
	if len(dry) != len(bills) || len(bills) != 3 {
		t.Errorf("%d accounts in the dry run and %d closed", len(dry), len(bills))
	}
	if out := closed(); strings.Count(out, "ALL-") != 2 || strings.Count(out, "PRO-") != 1 {
		t.Errorf("the closed bills:\n%s", out)
	}
	// The lines of a bill with a column for the values of a tag.
	out := s.Must(t, "bills", "show", "ALL-000001", "--by", "all_customer")
	commandtest.Contains(t, "bills show --by", out, "ALL_CUSTOMER", "c1", "total 0.09 USD")
	commandtest.Contains(t, "bills invoice --by", s.Must(t, "bills", "invoice", "PRO-000001", "--by", "all_project"), "<th>all_project</th>", "<td>p</td>")
}

// TestFirstBillEarlierMonths closes the first bill of an account that has usage in an earlier month.
// The close and its dry run are refused with the same words, until they leave the month.
func TestFirstBillEarlierMonths(t *testing.T) {
	fulltest.Long(t)
	s := commandtest.Shared(t)
	s.Must(t, "prices", "import", priceFile(t, "accounts: [{tag: first_customer, prefix: FIRST-}]\n"))
	defer func() { s.Must(t, "prices", "import", priceFile(t, "")) }()
	for _, month := range []string{"2025-07", "2025-12"} {
		text := billedConversation
		for _, id := range []string{"billed", `"b1"`, `"b2"`, "req_1"} {
			text = strings.ReplaceAll(text, id, strings.TrimSuffix(id, `"`)+"first"+month+strings.Repeat(`"`, strings.Count(id, `"`)/2))
		}
		text = strings.ReplaceAll(text, "2026-01-10", month+"-10")
		s.Must(t, "record", "--clock", "frame", "--dialect", "claude-code", "--tag", "first_customer=c", commandtest.TextFile(t, []byte(text)))
	}
	closing := func(args ...string) (out, errs string, exit int) {
		return s.Run(t, append([]string{"bills", "close", "2025-12", "--account", "first_customer=c"}, args...)...)
	}
	const earlier = "1 earlier month (2025-07) has usage of 0.001587 USD"
	for _, args := range [][]string{nil, {"--dry-run"}} {
		if out, errs, exit := closing(args...); exit != commandtest.ExitFailed || !strings.Contains(errs, earlier+" that no bill will hold") || !strings.Contains(errs, "Close 2025-07 first") {
			t.Errorf("bills close %v: exit %d\n%s%s", args, exit, out, errs)
		}
	}
	if out, errs, exit := s.Run(t, "bills", "close", "2061-01", "--account", "first_customer=c", "--dry-run"); exit != commandtest.ExitFailed || !strings.Contains(errs, "ends on 2061-02-01") || strings.Contains(out, "total") {
		t.Errorf("dry run of a month that is not over: exit %d\n%s%s", exit, out, errs)
	}
	if out, errs, exit := closing("--dry-run", "--leave-earlier"); exit != 0 || !strings.Contains(out, "would be closed") || !strings.Contains(errs, "close 2025-07 first") {
		t.Errorf("dry run with --leave-earlier: exit %d\n%s%s", exit, out, errs)
	}
	if out, errs, exit := closing("--leave-earlier"); exit != 0 || !strings.Contains(out, "FIRST-000001") || !strings.Contains(errs, earlier+" that no bill holds") {
		t.Errorf("bills close --leave-earlier: exit %d\n%s%s", exit, out, errs)
	}
	out, errs, exit := s.Run(t, "bills", "list", "--from", "2025-07", "--to", "2025-12", "--account", "first_customer=c")
	if exit != 0 || strings.Contains(out, "2025-07") || !strings.Contains(errs, earlier+" that no bill holds") {
		t.Errorf("bills list: exit %d\n%s%s", exit, out, errs)
	}
}
