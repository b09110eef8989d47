package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"sigs.k8s.io/yaml"
)

// kinds holds the schemas of Kubernetes' objects.
type kinds struct {
	dir   string // descriptions as an API server publishes them under /openapi/v3
	known map[string]*jsonschema.Schema
}

// validate checks an object as the API server does with fieldValidation=Strict: an unknown
// field is an error.
func (k *kinds) validate(object map[string]any) error {
	version, _ := object["apiVersion"].(string)
	kind, _ := object["kind"].(string)
	if version == "monitoring.coreos.com/v1" {
		return validateMonitoring(kind, object)
	}
	schema, err := k.schema(version, kind)
	if err != nil {
		return err
	}
	text, err := json.Marshal(object)
	if err != nil {
		return err
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	if err != nil {
		return err
	}
	return schema.Validate(value)
}

// validateMonitoring decodes an object of the Prometheus operator into its type.
func validateMonitoring(kind string, object map[string]any) error {
	var into any
	switch kind {
	case "ServiceMonitor":
		into = &monitoring.ServiceMonitor{}
	case "PrometheusRule":
		into = &monitoring.PrometheusRule{}
	default:
		return fmt.Errorf("unknown kind %s", kind)
	}
	text, err := yaml.Marshal(object)
	if err != nil {
		return err
	}
	return yaml.UnmarshalStrict(text, into)
}

func (k *kinds) schema(version, kind string) (*jsonschema.Schema, error) {
	key := version + " " + kind
	if s := k.known[key]; s != nil {
		return s, nil
	}
	file := filepath.Join(k.dir, "apis", version+".json")
	if version == "v1" {
		file = filepath.Join(k.dir, "api", "v1.json")
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("no schema of %s: %w", version, err)
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	schemas, _ := value.(map[string]any)["components"].(map[string]any)["schemas"].(map[string]any)
	name := ""
	for n, s := range schemas {
		s := s.(map[string]any)
		if _, any := s["additionalProperties"]; s["properties"] != nil && !any {
			s["additionalProperties"] = false
		}
		if strings.HasSuffix(n, "."+kind) && s["x-kubernetes-group-version-kind"] != nil {
			name = n
		}
	}
	if name == "" {
		return nil, fmt.Errorf("%s has no kind %s", version, kind)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft4)
	if err := c.AddResource(file, value); err != nil {
		return nil, err
	}
	s, err := c.Compile(file + "#/components/schemas/" + name)
	if err != nil {
		return nil, err
	}
	if k.known == nil {
		k.known = map[string]*jsonschema.Schema{}
	}
	k.known[key] = s
	return s, nil
}
