package grafana

import (
	"encoding/json"
	"os"
	"testing"

	"go.yaml.in/yaml/v3"
)

// file holds the members of a dashboard that the tests read.
type file struct {
	UID, Title, Description string
	Time                    struct{ From, To string }
	Templating              struct{ List []variableInFile }
	Panels                  []panelInFile
}

type variableInFile struct {
	Name, Label, Type string
	Query             any
	Multi, IncludeAll bool
}

type source struct{ Type, UID string }

type panelInFile struct {
	ID                       int
	Type, Title, Description string
	Datasource               source
	GridPos                  struct{ X, Y, W, H int }
	Targets                  []targetInFile
	FieldConfig              struct {
		Defaults  struct{ Unit string }
		Overrides json.RawMessage
	}
}

type targetInFile struct {
	RefID, Expr  string
	RawSQL       string
	Datasource   source
	Format       int
	LegendFormat string
}

// parse reads a file of JSON or YAML.
func parse(t *testing.T, path string, into any) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err == nil && path[len(path)-4:] == "json" {
		err = json.Unmarshal(text, into)
	} else if err == nil {
		err = yaml.Unmarshal(text, into)
	}
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}
