package parts

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"tapedeck/internal/fulltest"
	"tapedeck/internal/local/programtest"
)

// root is the directory of the source.
const root = "../.."

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func shipped(t *testing.T) (modules, packages []*Part) {
	t.Helper()
	modules, err := Modules(t.Context(), root)
	must(t, err)
	packages, err = Packages(root)
	if errors.Is(err, ErrNotBuilt) {
		fulltest.Missing(t, err)
	}
	must(t, err)
	return modules, packages
}

func TestLicencesAreCurrentAndAllowed(t *testing.T) {
	modules, packages := shipped(t)
	all := append(modules, packages...)
	if err := Check(all); err != nil {
		t.Error(err)
	}
	var want bytes.Buffer
	must(t, WriteNotices(&want, all))
	got, err := os.ReadFile(filepath.Join(root, File))
	must(t, err)
	if !bytes.Equal(got, want.Bytes()) {
		t.Errorf("%s is not current: run 'make licences' and commit it", File)
	}
}

func TestSBOM(t *testing.T) {
	fulltest.Long(t)
	modules, packages := shipped(t)
	binary := programtest.Path(t)
	linked, err := Linked(binary, modules)
	must(t, err)
	write := func() []byte {
		var text bytes.Buffer
		must(t, WriteSBOM(&text, binary, "1.2.3", append(slices.Clone(linked), packages...)))
		return text.Bytes()
	}
	text := write()
	if !bytes.Equal(text, write()) {
		t.Error("the same program has two bills")
	}
	validate(t, text)

	type hash struct{ Content string }
	type component struct {
		PURL, Version string
		Hashes        []hash
		Licenses      []struct{ License struct{ ID string } }
	}
	var bom struct {
		Metadata   struct{ Component component }
		Components []component
	}
	must(t, json.Unmarshal(text, &bom))
	program, err := os.ReadFile(binary)
	must(t, err)
	if got, want := bom.Metadata.Component.Hashes[0].Content, fmt.Sprintf("%x", sha256.Sum256(program)); got != want {
		t.Errorf("hash of the program %s, want %s", got, want)
	}
	var got []string
	for _, c := range bom.Components {
		if len(c.Licenses) == 0 || len(c.Hashes) == 0 && !strings.HasPrefix(c.PURL, "pkg:golang/std@") {
			t.Errorf("%s: licences %v, hashes %v", c.PURL, c.Licenses, c.Hashes)
		}
		got = append(got, strings.ReplaceAll(strings.ReplaceAll(c.PURL, "%40", "@"), "%2B", "+"))
	}
	want := expected(t, binary)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("components\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// expected lists the parts by "go version -m" and the list of the pages' build.
func expected(t *testing.T, binary string) (purls []string) {
	t.Helper()
	out, err := exec.Command("go", "version", "-m", binary).Output()
	must(t, err)
	for line := range strings.Lines(string(out)) {
		switch fields := strings.Fields(line); {
		case fields[0] == "dep":
			purls = append(purls, "pkg:golang/"+fields[1]+"@"+fields[2])
		case fields[0] == binary+":":
			purls = append(purls, "pkg:golang/std@"+strings.TrimPrefix(fields[1], "go"))
		}
	}
	text, err := os.ReadFile(filepath.Join(root, bundledFile))
	must(t, err)
	var paths []string
	must(t, json.Unmarshal(text, &paths))
	for _, path := range paths {
		text, err := os.ReadFile(filepath.Join(root, web, path, "package.json"))
		must(t, err)
		var p struct{ Name, Version string }
		must(t, json.Unmarshal(text, &p))
		purls = append(purls, "pkg:npm/"+p.Name+"@"+p.Version)
	}
	return purls
}

// validate checks a bill against CycloneDX's schema, which comes with the library.
func validate(t *testing.T, text []byte) {
	t.Helper()
	list := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/CycloneDX/cyclonedx-go")
	list.Dir = root
	dir, err := list.Output()
	must(t, err)
	schemas := jsonschema.NewCompiler()
	for url, file := range map[string]string{
		"http://cyclonedx.org/schema/bom-1.6.schema.json":  "bom-1.6.schema.json",
		"http://cyclonedx.org/schema/spdx.schema.json":     "spdx.schema.json",
		"http://cyclonedx.org/schema/jsf-0.82.schema.json": "jsf-0.82.schemax.json",
	} {
		text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "schema", file))
		must(t, err)
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		must(t, err)
		must(t, schemas.AddResource(url, doc))
	}
	schema, err := schemas.Compile("http://cyclonedx.org/schema/bom-1.6.schema.json")
	must(t, err)
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	must(t, err)
	if err := schema.Validate(doc); err != nil {
		t.Errorf("the bill does not fit the schema: %v", err)
	}
	delete(doc.(map[string]any), "bomFormat")
	if schema.Validate(doc) == nil {
		t.Error("the schema accepts a bill without its format")
	}
}

func TestIdentify(t *testing.T) {
	for text, want := range map[string]string{
		"Apache License\n  Version 2.0, January 2004": "Apache-2.0",
		"This is a notice.":                           "",
		"GNU GENERAL PUBLIC LICENSE\nVersion 3":       "GPL",
		"Business Source License 1.1":                 "BUSL-1.1",
		"Mozilla Public License, version 2.0\n1.12. “Secondary License” means either the GNU General Public License, or any later versions of those licenses.": "MPL-2.0",
		"Redistribution and use in source and binary forms, with or without\nmodification, are permitted provided":                                             "BSD-2-Clause",
	} {
		if got := strings.Join(identify(text), " "); got != want {
			t.Errorf("%.40q: %q, want %q", text, got, want)
		}
	}
	bad := []*Part{{Name: "a"}, {Name: "b", Licence: []string{"GPL"}}, {Name: "c", Licence: []string{"MIT"}}}
	if err := Check(bad); err == nil || !strings.Contains(err.Error(), "a: no licence") || !strings.Contains(err.Error(), "b: GPL") || strings.Contains(err.Error(), "c:") {
		t.Error(err)
	}
}

// Every dependency of the pages has one exact version in package.json, and a hash in the lock
// file, which names no registry.
func TestPackagesArePinned(t *testing.T) {
	for _, dir := range []string{"dashboards/web", "tools/systemtest/clients", "internal/local/engine", "query/pricing/prices/generator"} {
		var wanted struct{ Dependencies, DevDependencies map[string]string }
		var lock struct {
			Packages map[string]struct {
				Integrity, Resolved string
				Link                bool
			}
		}
		for file, into := range map[string]any{"package.json": &wanted, "package-lock.json": &lock} {
			text, err := os.ReadFile(filepath.Join(root, dir, file))
			must(t, err)
			must(t, json.Unmarshal(text, into))
		}
		for _, list := range []map[string]string{wanted.Dependencies, wanted.DevDependencies} {
			for name, version := range list {
				if of, is := strings.CutPrefix(version, "npm:"); is { // another version beside one: npm:name@version
					version = of[strings.LastIndex(of, "@")+1:]
				}
				if strings.Trim(version, "0123456789.") != "" && !strings.HasPrefix(strings.TrimLeft(version, "0123456789."), "-") {
					t.Errorf("%s: %s has the version %q, want an exact one", dir, name, version)
				}
			}
		}
		for path, p := range lock.Packages {
			if path != "" && !strings.HasPrefix(p.Integrity, "sha512-") || p.Resolved != "" {
				t.Errorf("%s: %s has integrity %q and address %q in the lock file", dir, path, p.Integrity, p.Resolved)
			}
		}
	}
}
