package grafana

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var write = flag.Bool("write-dashboards", false, "write the dashboards anew")

// The JSON files equal the declarations, and there is no other file.
func TestFiles(t *testing.T) {
	for name, d := range All() {
		want, err := d.JSON()
		if err != nil {
			t.Fatal(err)
		}
		if *write {
			if err := os.WriteFile(name, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(name); err != nil || string(got) != string(want) {
			t.Errorf("%s is stale: run go test ./dashboards/grafana -run TestFiles -write-dashboards (%v)", name, err)
		}
	}
	files, err := filepath.Glob("*.json")
	if err != nil || len(files) != len(All()) {
		t.Errorf("the files are %v, %v", files, err)
	}
}

var (
	used = regexp.MustCompile(`\$\{?([a-z][a-z_]*)`)
	unit = regexp.MustCompile(`^(short|percentunit|s|bytes|Bps|ops|reqps)$`)
)

// read returns a dashboard as Grafana does, from its file.
func read(t *testing.T, name string) *file {
	t.Helper()
	f := &file{}
	parse(t, name, f)
	return f
}

// Panels have ids, sources, units and descriptions, do not overlap,
// and use variables that exist; every variable is used.
func TestStructure(t *testing.T) {
	uids := map[string]bool{}
	for name := range All() {
		f := read(t, name)
		if f.UID == "" || uids[f.UID] || len(f.UID) > 40 || f.Title == "" || f.Description == "" || f.Time.From == "" {
			t.Errorf("%s: uid %q, title %q", name, f.UID, f.Title)
		}
		uids[f.UID] = true
		known := map[string]bool{}
		for _, v := range f.Templating.List {
			if known[v.Name] || v.Label == "" || !slices.Contains([]string{"datasource", "query", "textbox"}, v.Type) {
				t.Errorf("%s: variable %+v", name, v)
			}
			known[v.Name] = true
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for v := range known {
			if !strings.Contains(string(text), "${"+v) && !strings.Contains(string(text), "$"+v) {
				t.Errorf("%s: nothing uses the variable %s", name, v)
			}
		}
		for _, m := range used.FindAllStringSubmatch(string(text), -1) {
			if !known[m[1]] {
				t.Errorf("%s uses the variable %s, which it does not have", name, m[1])
			}
		}
		ids, cells := map[int]bool{}, map[[2]int]int{}
		for _, p := range f.Panels {
			if ids[p.ID] || p.Title == "" || !strings.HasSuffix(p.Description, ".") || !unit.MatchString(p.FieldConfig.Defaults.Unit) || len(p.Targets) == 0 {
				t.Errorf("%s: panel %d %q, %q, unit %q, %d queries", name, p.ID, p.Title, p.Description, p.FieldConfig.Defaults.Unit, len(p.Targets))
			}
			ids[p.ID] = true
			g := p.GridPos
			if g.W < 1 || g.H < 3 || g.X < 0 || g.X+g.W > columns {
				t.Errorf("%s: panel %d stands at %+v", name, p.ID, g)
			}
			for x := g.X; x < g.X+g.W; x++ {
				for y := g.Y; y < g.Y+g.H; y++ {
					if other := cells[[2]int{x, y}]; other != 0 {
						t.Errorf("%s: the panels %d and %d overlap", name, other, p.ID)
					}
					cells[[2]int{x, y}] = p.ID
				}
			}
			for _, target := range p.Targets {
				want := map[string]string{"prometheus": "${prometheus}", "grafana-clickhouse-datasource": "${clickhouse}"}[target.Datasource.Type]
				if target.Datasource != p.Datasource || target.Datasource.UID != want || (target.Expr == "") == (target.RawSQL == "") {
					t.Errorf("%s: panel %d asks %+v", name, p.ID, target)
				}
			}
			if sessions := strings.Contains(p.Targets[0].RawSQL, "AS session,"); sessions != strings.Contains(string(p.FieldConfig.Overrides), "${ui_url}/sessions/${__value.raw:percentencode}") {
				t.Errorf("%s: panel %d names sessions and does not link to them, or the other way round", name, p.ID)
			}
		}
	}
}

// What is provisioned has the types that the dashboards choose from.
func TestProvisioning(t *testing.T) {
	var sources struct {
		APIVersion  int `yaml:"apiVersion"`
		Datasources []struct{ Name, UID, Type, URL string }
	}
	parse(t, "provisioning/datasources.yml", &sources)
	var types []string
	for _, s := range sources.Datasources {
		types = append(types, s.Type)
	}
	if sources.APIVersion != 1 || !slices.Equal(types, []string{"prometheus", "grafana-clickhouse-datasource"}) {
		t.Errorf("%+v", sources)
	}
	var providers struct {
		APIVersion int `yaml:"apiVersion"`
		Providers  []struct {
			Name, Type string
			Options    struct{ Path string }
		}
	}
	parse(t, "provisioning/dashboards.yml", &providers)
	if providers.APIVersion != 1 || len(providers.Providers) != 1 || providers.Providers[0].Type != "file" || providers.Providers[0].Options.Path == "" {
		t.Errorf("%+v", providers)
	}
}
