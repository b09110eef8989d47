package helm

import (
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// given are the values of a container's settings by name.
type given map[string][]string

// settingsOf returns the settings with which a workload's container starts: its arguments, and those of
// the configuration file that they name.
func settingsOf(t *testing.T, r *result, w *object) given {
	t.Helper()
	all := given{}
	for _, arg := range w.Spec.Template.Spec.Containers[0].Args[1:] {
		name, value, _ := strings.Cut(strings.TrimPrefix(arg, "--"), "=")
		all[name] = append(all[name], value)
	}
	if all["config"] == nil {
		return all
	}
	for name, values := range parseFile(t, configFile(t, r, w)) {
		if all[name] == nil {
			all[name] = values
		}
	}
	return all
}

// configFile returns the text of a workload's configuration file.
func configFile(t *testing.T, r *result, w *object) string {
	t.Helper()
	volumes := w.Spec.Template.Spec.Volumes
	i := slices.IndexFunc(volumes, func(v volume) bool { return v.Name == "config" && v.ConfigMap != nil })
	if i < 0 {
		t.Fatalf("%s has no configuration file", w.Metadata.Name)
	}
	m := r.named("ConfigMap", volumes[i].ConfigMap.Name)
	if m == nil || m.role() != w.role() {
		t.Fatalf("%s: the ConfigMap %s is missing or another role's", w.Metadata.Name, volumes[i].ConfigMap.Name)
	}
	return m.Data["tapedeck.yaml"]
}

// parseFile reads a file of settings.
func parseFile(t *testing.T, text string) given {
	t.Helper()
	nodes := map[string]yaml.Node{}
	if err := yaml.Unmarshal([]byte(text), &nodes); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	all := given{}
	for name, n := range nodes {
		values := []string{n.Value}
		if n.Kind != yaml.ScalarNode {
			if err := n.Decode(&values); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		all[name] = values
	}
	return all
}
