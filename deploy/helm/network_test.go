package helm

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// checkNetwork checks that a network policy lets through what servers need: clients and probes
// on their port, names, NATS, ClickHouse, the OpenID provider.
func checkNetwork(t *testing.T, r *result) {
	policies := r.of("NetworkPolicy")
	for _, p := range policies {
		for _, w := range r.workloads() {
			if !p.Spec.PodSelector.MatchLabels.in(w.Spec.Template.Metadata.Labels) {
				t.Errorf("%s does not select the pods of %s", p.Metadata.Name, w.Metadata.Name)
			}
			for _, c := range w.Spec.Template.Spec.Containers {
				for _, port := range c.Ports {
					if !opens(p.Spec.Ingress, "TCP", port.ContainerPort) {
						t.Errorf("%s: port %d is closed", p.Metadata.Name, port.ContainerPort)
					}
				}
			}
			for _, needed := range peers(t, settingsOf(t, r, &w)) {
				if !opens(p.Spec.Egress, "TCP", needed) {
					t.Errorf("%s: %s does not reach port %d", p.Metadata.Name, w.Metadata.Name, needed)
				}
			}
		}
		if !opens(p.Spec.Egress, "UDP", 53) || !opens(p.Spec.Egress, "TCP", 53) {
			t.Errorf("%s: names are not resolved", p.Metadata.Name)
		}
	}
	if wanted := slices.ContainsFunc([]string{"oidc", "network-policy", "full"}, func(name string) bool {
		return strings.HasSuffix(r.Values, name+".yaml")
	}); wanted != (len(policies) == 1) {
		t.Errorf("%d network policies", len(policies))
	}
	if strings.HasSuffix(r.Values, "network-policy.yaml") {
		rule := policies[0].Spec.Ingress[0]
		if len(rule.From) != 3 || !strings.Contains(string(rule.From[2]), "prometheus") {
			t.Errorf("the policy lets in %s", rule.From)
		}
		for _, e := range policies[0].Spec.Egress[1:] {
			if len(e.To) != 1 {
				t.Errorf("a rule lets out to %s at %v", e.To, e.Ports)
			}
		}
	}
}

// opens reports whether a rule has the port.
func opens(rules []policyRule, protocol string, port int) bool {
	for _, r := range rules {
		for _, p := range r.Ports {
			if p.Protocol == protocol && p.Port == port {
				return true
			}
		}
	}
	return false
}

// peers returns the ports of the servers that settings name.
func peers(t *testing.T, of given) (ports []int) {
	t.Helper()
	for name, otherwise := range map[string]int{"nats": 4222, "clickhouse": 9000, "oidc-issuer": 443} {
		for text := range strings.SplitSeq(strings.Join(of[name], ","), ",") {
			u, err := url.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			port, err := strconv.Atoi(u.Port())
			if err != nil {
				port = otherwise
			}
			if text != "" {
				ports = append(ports, port)
			}
		}
	}
	return ports
}

// checkIngress checks that paths lead to ports that services have: recordings to ingest, all
// else to api, whose servers serve these hosts.
func checkIngress(t *testing.T, r *result) {
	for _, i := range r.of("Ingress") {
		for _, rule := range i.Spec.Rules {
			for _, p := range rule.HTTP.Paths {
				s := r.named("Service", p.Backend.Service.Name)
				if s == nil || !slices.ContainsFunc(s.Spec.Ports, func(port servicePort) bool { return port.Name == p.Backend.Service.Port.Name }) {
					t.Errorf("%s%s leads to %+v, which does not exist", rule.Host, p.Path, p.Backend)
					continue
				}
				if (p.Path == "/") != (s.role() == "api") {
					t.Errorf("%s%s leads to %s", rule.Host, p.Path, s.role())
				}
			}
			for _, w := range r.workloads() {
				if w.Kind != "Job" && !slices.Contains(settingsOf(t, r, &w)["allow-host"], rule.Host) {
					t.Errorf("%s refuses the host %s", w.Metadata.Name, rule.Host)
				}
			}
		}
	}
}
