package family

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"tapedeck/schema/migrations"
)

func TestParse(t *testing.T) {
	for name, want := range map[string]Family{"": Plain, "plain": Plain, "replicated": Replicated, "shared": Shared} {
		if f, err := Parse(name); err != nil || f != want {
			t.Errorf("Parse(%q) = %q, %v, want %q", name, f, err, want)
		}
	}
	if f, err := Parse("cloud"); err == nil {
		t.Errorf("the family cloud is %q", f)
	}
	for text, want := range map[string]string{"": "", "0": "", "auto": "auto", "2": "2", "03": "3"} {
		if q, err := ParseQuorum(text); err != nil || q != want {
			t.Errorf("ParseQuorum(%q) = %q, %v, want %q", text, q, err, want)
		}
	}
	for _, text := range []string{"1", "-1", "all", "2.5"} {
		if q, err := ParseQuorum(text); err == nil {
			t.Errorf("the quorum %q is %q", text, q)
		}
	}
}

// Plain tables have no settings of their own. Inserts of the other families are not dropped as repeated,
// and a quorum is read where it was acknowledged.
func TestSettings(t *testing.T) {
	if s := (Engine{Family: Plain}).Settings(); s != nil || (Engine{}).Settings() != nil {
		t.Errorf("plain tables have the settings %v", s)
	}
	for _, e := range []Engine{{Family: Replicated}, {Family: Shared}, {Replicated, QuorumAuto}} {
		s := e.Settings()
		if s["insert_deduplicate"] != 0 || s["deduplicate_insert"] != "disable" || s["deduplicate_insert_select"] != "disable" ||
			s["mutations_sync"] != 2 || s["lightweight_deletes_sync"] != 2 || e.Settles() {
			t.Errorf("%+v: settings %v, settles %v", e, s, e.Settles())
		}
		_, quorum := s["insert_quorum"]
		_, parallel := s["insert_quorum_parallel"]
		_, sequential := s["select_sequential_consistency"]
		if quorum != (e.Quorum != "") || parallel != quorum || sequential != (quorum || e.Family == Shared) {
			t.Errorf("%+v: settings %v", e, s)
		}
	}
}

// Every statement that creates a table, of the migrations and of the baseline, has one engine that is
// replaced, keeps its arguments and its settings, and drops no repeated insert.
func TestReplicate(t *testing.T) {
	all, err := migrations.All()
	if err != nil {
		t.Fatal(err)
	}
	list := migrations.Baseline(all)
	for _, m := range all {
		list = append(list, m.Statements...)
	}
	tables := 0
	for _, text := range list {
		_, rest, is := strings.Cut(text, "CREATE TABLE IF NOT EXISTS ")
		if !is {
			continue
		}
		tables++
		name := strings.Fields(rest)[0]
		got, err := Replicate(text, "it's", name)
		path := `('/clickhouse/tables/{shard}/it\'s/` + name + `', '{replica}'`
		if err != nil || strings.Count(got, "MergeTree"+path) != 1 || strings.Count(got, "replicated_deduplication_window = 0") < 1 {
			t.Errorf("%s, error %v", got, err)
		}
		back := strings.Replace(got, path+", ", "(", 1)
		back = strings.Replace(back, path+")", "", 1)
		back = strings.Replace(back, "ENGINE = Replicated", "ENGINE = ", 1)
		back = strings.Replace(back, "SETTINGS replicated_deduplication_window = 0, ", "SETTINGS ", 1)
		back = strings.TrimSuffix(back, "\nSETTINGS replicated_deduplication_window = 0")
		if back != text {
			t.Errorf("%s: more than the engine and a setting changed:\n%s", name, got)
		}
	}
	if tables < 40 {
		t.Errorf("%d statements create tables", tables)
	}
	for _, text := range []string{"CREATE TABLE IF NOT EXISTS t (a UInt8)", "CREATE TABLE t\nENGINE = MergeTree\nENGINE = MergeTree"} {
		if got, err := Replicate(text, "d", "t"); !errors.Is(err, ErrNoEngine) {
			t.Errorf("%s: %s, error %v", text, got, err)
		}
	}
}

func TestWrong(t *testing.T) {
	of := map[string]string{"plain": "ReplacingMergeTree", "replicated": "ReplicatedMergeTree", "shared": "SharedReplacingMergeTree",
		"view": "View", "distributed": "Distributed"}
	for _, tc := range []struct {
		family Family
		wrong  []string
	}{
		{"", []string{"replicated", "shared"}}, {Plain, []string{"replicated", "shared"}},
		{Replicated, []string{"plain", "shared"}}, {Shared, []string{"replicated"}},
	} {
		got := Engine{Family: tc.family}.Wrong(of)
		slices.Sort(got)
		if !slices.Equal(got, tc.wrong) {
			t.Errorf("%q: %v are wrong, want %v", tc.family, got, tc.wrong)
		}
	}
}
