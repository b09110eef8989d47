package helm

import (
	"slices"
	"strings"
	"testing"
)

// roles are the parts that each are a workload.
var roles = []string{"ingest", "sink", "api"}

// checkSelectors checks that each role is one workload, and that what selects pods selects
// those of its role alone.
func checkSelectors(t *testing.T, r *result) {
	pods := map[string]labels{}
	for _, w := range r.workloads() {
		pods[w.role()] = w.Spec.Template.Metadata.Labels
		if w.Kind != "Job" && !w.selects(t).in(w.Spec.Template.Metadata.Labels) {
			t.Errorf("%s %s does not select its own pods", w.Kind, w.Metadata.Name)
		}
		for _, c := range w.Spec.Template.Spec.TopologySpreadConstraints {
			if !c.LabelSelector.MatchLabels.in(w.Spec.Template.Metadata.Labels) {
				t.Errorf("%s: a topology spread constraint does not select its own pods", w.Metadata.Name)
			}
		}
	}
	for _, role := range roles {
		if pods[role] == nil {
			t.Errorf("no workload has the role %s", role)
		}
	}
	budgets := map[string]bool{}
	for _, kind := range []string{"Service", "PodDisruptionBudget", "StatefulSet", "Deployment"} {
		for _, o := range r.of(kind) {
			if kind == "PodDisruptionBudget" {
				budgets[o.role()] = true
			}
			for role, l := range pods {
				if o.selects(t).in(l) != (role == o.role()) {
					t.Errorf("%s %s of the role %s: selects pods of %s: %v", kind, o.Metadata.Name, o.role(), role, o.selects(t).in(l))
				}
			}
		}
	}
	if !strings.HasSuffix(r.Values, "single.yaml") && len(budgets) != len(roles) {
		t.Errorf("disruption budgets for %v alone", budgets)
	}
	for _, o := range r.of("HorizontalPodAutoscaler") {
		target := r.named(o.Spec.ScaleTargetRef.Kind, o.Spec.ScaleTargetRef.Name)
		if target == nil || target.Spec.Replicas != nil {
			t.Errorf("%s scales %+v, which is missing or has replicas", o.Metadata.Name, o.Spec.ScaleTargetRef)
		}
	}
}

// checkPorts checks that services, probes and monitors name ports that exist.
func checkPorts(t *testing.T, r *result) {
	ports := map[string][]string{}
	for _, w := range r.workloads() {
		for _, c := range w.Spec.Template.Spec.Containers {
			for _, p := range c.Ports {
				ports[w.role()] = append(ports[w.role()], p.Name)
			}
			for _, p := range []*probe{c.StartupProbe, c.LivenessProbe, c.ReadinessProbe} {
				if w.Kind == "Job" {
					continue
				}
				if p == nil || !slices.Contains(ports[w.role()], p.port()) {
					t.Errorf("%s: a probe is missing or has a port that the container has not", w.Metadata.Name)
				} else if p.HTTPGet != nil && strings.ToLower(p.HTTPGet.Scheme) != p.port() {
					t.Errorf("%s: a probe of the port %s by %s", w.Metadata.Name, p.port(), p.HTTPGet.Scheme)
				}
			}
		}
	}
	for _, s := range r.of("Service") {
		for _, p := range s.Spec.Ports {
			if !slices.Contains(ports[s.role()], p.TargetPort) {
				t.Errorf("Service %s: the pods have no port %s", s.Metadata.Name, p.TargetPort)
			}
		}
	}
}

// checkSecurity checks that every container is confined.
func checkSecurity(t *testing.T, r *result) {
	yes, no := func(b *bool) bool { return b != nil && *b }, func(b *bool) bool { return b != nil && !*b }
	for _, w := range r.workloads() {
		pod := w.Spec.Template.Spec
		if !no(pod.AutomountServiceAccountToken) {
			t.Errorf("%s mounts the service account's token", w.Metadata.Name)
		}
		if s := pod.SecurityContext; !yes(s.RunAsNonRoot) || s.RunAsUser == nil || *s.RunAsUser == 0 || s.SeccompProfile.Type != "RuntimeDefault" {
			t.Errorf("%s: security of the pod: %+v", w.Metadata.Name, s)
		}
		for _, c := range pod.Containers {
			s := c.SecurityContext
			if !yes(s.RunAsNonRoot) || !yes(s.ReadOnlyRootFilesystem) || !no(s.AllowPrivilegeEscalation) ||
				!slices.Equal(s.Capabilities.Drop, []string{"ALL"}) || len(s.Capabilities.Add) > 0 || s.SeccompProfile.Type != "RuntimeDefault" {
				t.Errorf("%s: security of the container: %+v", w.Metadata.Name, s)
			}
			if c.Resources.Requests["memory"] == "" || c.Resources.Limits["memory"] == "" {
				t.Errorf("%s: no request or limit of memory", w.Metadata.Name)
			}
		}
		if name := pod.ServiceAccountName; r.named("ServiceAccount", name) == nil && name != "default" && name != "recorder" {
			t.Errorf("%s: there is no ServiceAccount %s", w.Metadata.Name, name)
		}
	}
}

// stopLimit is the time, seconds, within which a server that is stopped ends: server.StopTimeout
// and a second for what comes before and after.
const stopLimit = 6

// checkStop checks that the kubelet waits for the server to end.
func checkStop(t *testing.T, r *result) {
	for _, w := range r.workloads() {
		if w.Kind == "Job" {
			continue
		}
		pod := w.Spec.Template.Spec
		drain := pod.Containers[0].Lifecycle.PreStop.Sleep.Seconds
		if pod.TerminationGracePeriodSeconds < drain+stopLimit {
			t.Errorf("%s: %d s are less than the drain's %d and the stop's %d", w.Metadata.Name, pod.TerminationGracePeriodSeconds, drain, stopLimit)
		}
		if w.role() != "sink" && drain == 0 {
			t.Errorf("%s stops before the services stop sending connections", w.Metadata.Name)
		}
		for _, name := range []string{"checksum/settings", "checksum/secret"} {
			if len(w.Spec.Template.Metadata.Annotations[name]) != 64 {
				t.Errorf("%s has no %s: a change would not roll out", w.Metadata.Name, name)
			}
		}
	}
}

// checkState checks that the spool, and nothing else, outlives a pod.
func checkState(t *testing.T, r *result) {
	for _, w := range r.workloads() {
		var claims []string
		for _, c := range w.Spec.VolumeClaimTemplates {
			claims = append(claims, c.Metadata.Name)
		}
		want := w.role() == "ingest" && !strings.HasSuffix(r.Values, "single.yaml")
		if want != slices.Equal(claims, []string{"data"}) {
			t.Errorf("%s %s: volume claims %v", w.Kind, w.Metadata.Name, claims)
		}
		if w.role() == "ingest" && (w.Kind != "StatefulSet" || r.named("Service", w.Spec.ServiceName) == nil) {
			t.Errorf("%s %s with the service %q", w.Kind, w.Metadata.Name, w.Spec.ServiceName)
		}
	}
}
