package helm

import (
	"os/exec"
	"regexp"
	"testing"
)

// testProgram checks with the program itself that it accepts the settings of the chart.
func testProgram(t *testing.T, r *renderer, sets []result) {
	program := build(t, "../..", "./cmd/tapedeck")
	help := map[string]string{}
	for _, command := range []string{"serve", "migrate"} {
		text, err := exec.Command(program, command, "--help").CombinedOutput()
		if err != nil {
			t.Fatalf("%s --help: %v\n%s", command, err, text)
		}
		help[command] = string(text)
	}
	t.Run("names", func(t *testing.T) {
		for _, set := range sets {
			checkNames(t, &set, help)
		}
	})
	t.Run("roles", func(t *testing.T) { testRoles(t, r, program, plain(t)) })
	t.Run("roles with TLS", func(t *testing.T) { testRoles(t, r, program, secure(t)) })
}

// exponent finds a number that was a float between the file of values and here.
var exponent = regexp.MustCompile(`^[0-9.]+e\+`)

var (
	flagName = regexp.MustCompile(`--([a-z0-9-]+)`)
	envName  = regexp.MustCompile(`\$(TAPEDECK_[A-Z0-9_]+)`)
)

// names returns what a pattern finds in a help text, in which long names may be broken.
func names(pattern *regexp.Regexp, help string) map[string]bool {
	found := map[string]bool{}
	for _, m := range pattern.FindAllStringSubmatch(help, -1) {
		found[m[1]] = true
	}
	return found
}

// checkNames checks that the command has every flag and variable of a rendering.
func checkNames(t *testing.T, r *result, help map[string]string) {
	for _, w := range r.workloads() {
		for _, c := range w.Spec.Template.Spec.Containers {
			if len(c.Command) != 1 || c.Command[0] != "tapedeck" || help[c.Args[0]] == "" {
				t.Fatalf("%s runs %v %v", w.Metadata.Name, c.Command, c.Args)
			}
			flags, variables := names(flagName, help[c.Args[0]]), names(envName, help[c.Args[0]])
			for name, values := range settingsOf(t, r, &w) {
				if !flags[name] {
					t.Errorf("%s: %s has no flag --%s", r.Values, c.Args[0], name)
				}
				if exponent.MatchString(values[0]) {
					t.Errorf("%s: %s: the number %s is not as it was written", r.Values, name, values[0])
				}
			}
			for _, e := range c.Env {
				if w.Kind != "Job" && !variables[e.Name] {
					t.Errorf("%s: %s has no variable %s", r.Values, c.Args[0], e.Name)
				}
			}
		}
	}
}
