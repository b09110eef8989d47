package main

import (
	"bytes"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"helm.sh/helm/v3/pkg/lint"
	"helm.sh/helm/v3/pkg/lint/support"
	"sigs.k8s.io/yaml"
)

// Release and Namespace are the names with which every file is rendered.
const (
	Release   = "rec"
	Namespace = "agents"
)

// Result is the outcome of rendering one file of values.
type Result struct {
	Values  string           `json:"values"`
	Error   string           `json:"error,omitempty"`   // error of "helm template"
	Lint    []string         `json:"lint,omitempty"`    // warnings and errors of "helm lint"
	Invalid []string         `json:"invalid,omitempty"` // objects that the API server would refuse
	Notes   string           `json:"notes"`
	Objects []map[string]any `json:"objects"`
}

// render does what "helm template" and "helm lint" do.
func render(chartDir, file string) *Result {
	r := &Result{Values: file}
	text, err := os.ReadFile(file)
	if err != nil {
		r.Error = err.Error()
		return r
	}
	values, err := chartutil.ReadValues(text)
	if err != nil {
		r.Error = err.Error()
		return r
	}
	linted, err := chartutil.ReadValues(text) // the linter removes keys without a value, which template needs
	if err != nil {
		r.Error = err.Error()
		return r
	}
	for _, m := range lint.All(chartDir, linted, Namespace, false).Messages {
		if m.Severity >= support.WarningSev {
			r.Lint = append(r.Lint, m.Error())
		}
	}
	if err := r.template(chartDir, values); err != nil {
		r.Error = err.Error()
	}
	return r
}

func (r *Result) template(chartDir string, values chartutil.Values) error {
	chart, err := loader.Load(chartDir)
	if err != nil {
		return err
	}
	capabilities := chartutil.DefaultCapabilities.Copy()
	capabilities.KubeVersion = chartutil.KubeVersion{Version: "v1.30.0", Major: "1", Minor: "30"}
	if !chartutil.IsCompatibleRange(chart.Metadata.KubeVersion, capabilities.KubeVersion.Version) {
		return fmt.Errorf("chart requires kubeVersion %s", chart.Metadata.KubeVersion)
	}
	all, err := chartutil.ToRenderValues(chart, values,
		chartutil.ReleaseOptions{Name: Release, Namespace: Namespace, Revision: 1, IsInstall: true}, capabilities)
	if err != nil {
		return err
	}
	files, err := engine.Render(chart, all)
	if err != nil {
		return err
	}
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if path.Base(name) == "NOTES.txt" {
			r.Notes = files[name]
			continue
		}
		if strings.HasSuffix(name, ".tpl") {
			continue
		}
		if err := r.add(files[name]); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// add adds the objects of a rendered file. A key that occurs twice in a map is an error.
func (r *Result) add(text string) error {
	for _, document := range strings.Split("\n"+text, "\n---") {
		if len(bytes.TrimSpace([]byte(document))) == 0 {
			continue
		}
		var object map[string]any
		if err := yaml.UnmarshalStrict([]byte(document), &object); err != nil {
			return fmt.Errorf("%w in\n%s", err, document)
		}
		if object != nil {
			r.Objects = append(r.Objects, object)
		}
	}
	return nil
}
