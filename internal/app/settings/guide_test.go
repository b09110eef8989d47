package settings

import (
	"os"
	"regexp"
	"testing"
)

// The example file of the guide is valid.
func TestGuideExample(t *testing.T) {
	text, err := os.ReadFile("../../../docs/operate/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllSubmatch(text, -1)
	if len(blocks) == 0 {
		t.Fatal("the guide has no example")
	}
	for _, b := range blocks {
		r, _, err := load(t, nil, "serve", "--config", write(t, string(b[1]), 0o600))
		if err != nil {
			t.Errorf("%s\n%v", b[1], err)
			continue
		}
		if c := r.Serve; c.MaxBytes != 64<<30 || c.Replicas != 3 || len(c.Role) != 3 || c.LogFormat != "json" {
			t.Errorf("%+v", c)
		}
	}
}
