package grafana

import (
	"encoding/xml"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"tapedeck/internal/fulltest"
	"tapedeck/internal/local/engine"
	"tapedeck/internal/local/localtest"
	"tapedeck/query/querytest"
	"tapedeck/schema/clickhouse"
)

// statementsOf are the statements of a section of the page, for the database default.
func statementsOf(t *testing.T, section string) []string {
	t.Helper()
	page, err := os.ReadFile("../../docs/operate/grafana.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "\n## "+section+"\n")
	m := regexp.MustCompile("(?s)```sql\n(.*?)```").FindStringSubmatch(rest)
	if m == nil {
		t.Fatalf("%s has no statements", section)
	}
	text := strings.ReplaceAll(m[1], "tapedeck.", "default.")
	return strings.Split(strings.TrimSuffix(strings.TrimSpace(text), ";"), ";\n")
}

// policy is the statement of a row policy.
var policy = regexp.MustCompile(`(?s)^CREATE ROW POLICY \w+ ON (.*?)\s+USING (.*) TO (.*)$`)

// users writes the users of the page in the form of a configuration file, since this ClickHouse
// keeps none that statements create: grafana, and acme with the row policies.
func users(t *testing.T, dir string) {
	t.Helper()
	escape := func(text string) string {
		var b strings.Builder
		if err := xml.EscapeText(&b, []byte(text)); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	var grants strings.Builder
	for _, statement := range statementsOf(t, "A read-only user")[1:] {
		grant, is := strings.CutSuffix(strings.TrimSpace(statement), "TO grafana")
		if !is {
			t.Fatalf("no grant to grafana: %s", statement)
		}
		fmt.Fprintf(&grants, "<query>%s</query>", escape(strings.Join(strings.Fields(grant), " ")))
	}
	policies := statementsOf(t, "One tenant")
	m, others := policy.FindStringSubmatch(policies[0]), policy.FindStringSubmatch(policies[1])
	if m == nil || others == nil || others[1] != m[1] || m[3] != "grafana" || others[2] != "1" || others[3] != "ALL EXCEPT grafana" {
		t.Fatalf("the policies are %q", policies)
	}
	var filters strings.Builder
	for table := range strings.SplitSeq(m[1], ", ") {
		table = strings.TrimPrefix(table, "default.")
		fmt.Fprintf(&filters, "<%s><filter>%s</filter></%[1]s>", table, escape(m[2]))
	}
	user := func(name, databases string) string {
		return fmt.Sprintf("<%s><password>choose-a-password</password><networks><ip>127.0.0.1</ip></networks><profile>viewer</profile><quota>default</quota>"+
			"<grants>%s</grants>%s</%[1]s>", name, grants.String(), databases)
	}
	text := "<clickhouse><profiles><viewer><readonly>2</readonly></viewer></profiles><users>" + user("grafana", "") +
		user("acme", "<databases><default>"+filters.String()+"</default></databases>") + "</users></clickhouse>"
	path := filepath.Join(dir, "users.d", "grafana.xml")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// The read-only user of docs/operate/grafana.md can ask what dashboards ask, and no content; with
// the row policies it sees one tenant.
func TestReadOnlyUser(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	dir := t.TempDir()
	users(t, dir)
	own := localtest.Engine(t, engine.Options{Dir: dir})
	settle(t, recordedIn(t, own.DSN()))
	for user, want := range map[string]string{"grafana": querytest.Tenant + " o'brien third", "acme": querytest.Tenant} {
		address, err := url.Parse(own.DSN())
		if err != nil {
			t.Fatal(err)
		}
		address.User = url.UserPassword(user, "choose-a-password")
		conn, err := clickhouse.Open(address.String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		for name := range All() {
			for _, p := range read(t, name).Panels {
				if p.Targets[0].RawSQL == "" {
					continue
				}
				if _, rows, err := ask(t, conn, expand(t, p.Targets[0].RawSQL, chosen{}, ofRecordings)); err != nil || rows == 0 {
					t.Errorf("%s, %s, %q: %d rows, %v", user, name, p.Title, rows, err)
				}
			}
		}
		for _, view := range []string{"reports_sessions", "reports_usage", "reports_costs", "reports_model_costs", "reports_tools", "reports_calls", "streams", "spans", "settled_usage", "settled_costs", "settled_model_costs"} {
			if got := texts(t, conn, "SELECT arrayStringConcat(arraySort(groupUniqArray(toString(tenant))), ' ') FROM "+view)[0]; got != want {
				t.Errorf("%s shows %s to %s, want %s", view, got, user, want)
			}
		}
		for _, statement := range []string{
			"SELECT raw FROM frames", "SELECT text FROM messages", "SELECT error FROM spans", "SELECT attributes FROM spans", "SELECT source FROM streams", "SELECT * FROM usage",
			"SELECT * FROM bills", "INSERT INTO tombstones (tenant) VALUES ('x')", "ALTER TABLE streams DELETE WHERE 1", "SET readonly = 0",
		} {
			if _, _, err := ask(t, conn, statement); err == nil {
				t.Errorf("%s may: %s", user, statement)
			}
		}
	}
}
