package helm

import (
	"encoding/json"
	"maps"
	"testing"
)

// result is the outcome of rendering one file of values, as tools/helmrender prints it.
type result struct {
	Values, Error, Notes string
	Lint, Invalid        []string
	Objects              []object
}

type labels map[string]string

// object has the fields of all kinds that the tests look at.
type object struct {
	APIVersion, Kind string
	Metadata         struct {
		Name, Namespace     string
		Labels, Annotations labels
	}
	Data map[string]string
	Spec struct {
		Replicas             *int
		ServiceName          string
		Selector             json.RawMessage // of a Service its labels, otherwise a selector
		Template             podTemplate
		Ports                []servicePort
		ScaleTargetRef       struct{ Kind, Name string }
		PodSelector          selector
		VolumeClaimTemplates []object
		Ingress, Egress      []policyRule
		Rules                []ingressRule
		Endpoints            []endpoint
		Groups               json.RawMessage // of a PrometheusRule
	}
	AutomountServiceAccountToken *bool
}

type selector struct{ MatchLabels labels }

type podTemplate struct {
	Metadata struct{ Labels, Annotations labels }
	Spec     struct {
		ServiceAccountName            string
		AutomountServiceAccountToken  *bool
		TerminationGracePeriodSeconds int
		SecurityContext               security
		Containers                    []container
		Volumes                       []volume
		TopologySpreadConstraints     []struct{ LabelSelector selector }
	}
}

type security struct {
	RunAsNonRoot, ReadOnlyRootFilesystem, AllowPrivilegeEscalation *bool
	RunAsUser                                                      *int
	Capabilities                                                   struct{ Add, Drop []string }
	SeccompProfile                                                 struct{ Type string }
}

type container struct {
	Name, Image   string
	Command, Args []string
	Ports         []struct {
		Name          string
		ContainerPort int
	}
	Env             []struct{ Name, Value string }
	SecurityContext security
	VolumeMounts    []struct {
		Name, MountPath string
		ReadOnly        bool
	}
	Resources                                   struct{ Requests, Limits map[string]string }
	StartupProbe, LivenessProbe, ReadinessProbe *probe
	Lifecycle                                   struct {
		PreStop struct{ Sleep struct{ Seconds int } }
	}
}

type probe struct {
	HTTPGet   *struct{ Path, Port, Scheme string }
	TCPSocket *struct{ Port string }
}

// port returns the name of the probed port.
func (p *probe) port() string {
	if p.HTTPGet != nil {
		return p.HTTPGet.Port
	}
	return p.TCPSocket.Port
}

type volume struct {
	Name      string
	EmptyDir  *struct{}
	ConfigMap *struct{ Name string }
	Secret    *struct{ SecretName string }
	Projected *struct {
		Sources []struct {
			Secret struct {
				Name  string
				Items []struct{ Key, Path string }
			}
		}
	}
}

type servicePort struct {
	Name, TargetPort string
	Port             int
}

type policyRule struct {
	Ports []struct {
		Protocol string
		Port     int
	}
	From, To []json.RawMessage
}

type ingressRule struct {
	Host string
	HTTP struct {
		Paths []struct {
			Path    string
			Backend struct {
				Service struct {
					Name string
					Port struct{ Name string }
				}
			}
		}
	}
}

type endpoint struct {
	Port, Scheme  string
	Authorization struct{ Credentials struct{ Name, Key string } }
	Relabelings   []struct{ TargetLabel, Replacement string }
}

// of returns the objects of a kind.
func (r *result) of(kind string) []object {
	var list []object
	for _, o := range r.Objects {
		if o.Kind == kind {
			list = append(list, o)
		}
	}
	return list
}

// named returns the object of a kind and name, or nil.
func (r *result) named(kind, name string) *object {
	for _, o := range r.of(kind) {
		if o.Metadata.Name == name {
			return &o
		}
	}
	return nil
}

// workloads returns the objects that have pods.
func (r *result) workloads() []object {
	var list []object
	for _, kind := range []string{"StatefulSet", "Deployment", "Job"} {
		list = append(list, r.of(kind)...)
	}
	return list
}

// role returns what an object is for.
func (o *object) role() string { return o.Metadata.Labels["app.kubernetes.io/component"] }

// selects returns the labels by which an object selects others.
func (o *object) selects(t *testing.T) labels {
	t.Helper()
	var direct labels
	if json.Unmarshal(o.Spec.Selector, &direct) == nil {
		return direct
	}
	var s selector
	if err := json.Unmarshal(o.Spec.Selector, &s); err != nil {
		t.Fatalf("%s %s: selector: %v", o.Kind, o.Metadata.Name, err)
	}
	return s.MatchLabels
}

// in reports whether all labels are in others.
func (l labels) in(others labels) bool {
	for name, value := range maps.All(l) {
		if others[name] != value {
			return false
		}
	}
	return len(l) > 0
}
