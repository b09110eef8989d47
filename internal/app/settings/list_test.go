package settings

import (
	"os"
	"reflect"
	"strings"
	"testing"
)

// Each setting has a variable of its name, a default within its bounds, bounds that can be read
// if it is a number, and a description.
func TestDeclarations(t *testing.T) {
	list := List()
	if len(list) < 60 {
		t.Fatalf("only %d settings", len(list))
	}
	for _, s := range list {
		if want := "TAPEDECK_" + strings.ToUpper(strings.ReplaceAll(s.Name, "-", "_")); s.Variable != want {
			t.Errorf("--%s: variable %q, want %q", s.Name, s.Variable, want)
		}
		if s.Help == "" {
			t.Errorf("--%s has no description", s.Name)
		}
		b := boundsOf(s.flag)
		v := reflect.New(s.flag.Target.Type()).Elem()
		if _, isNumber := number(v); isNumber && b.min == "" {
			t.Errorf("--%s is a number without a tag min", s.Name)
		}
		if s.Type == "whole number" && s.Unit == "" {
			t.Errorf("--%s is a number without a unit", s.Name)
		}
		if err := s.flag.Reset(); err != nil {
			t.Errorf("--%s: default: %v", s.Name, err)
		}
		if !b.holds(s.flag.Target) {
			t.Errorf("--%s: the default %s is out of bounds (%s)", s.Name, s.Default, b)
		}
	}
}

// The reference page is that of the declarations.
func TestPage(t *testing.T) {
	const path = "../../../docs/reference/configuration.md"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(text) != Page() {
		t.Errorf("%s is stale: run \"make reference\"", path)
	}
}
