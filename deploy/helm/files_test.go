package helm

import (
	"encoding/base64"
	"path"
	"slices"
	"strings"
	"testing"
)

// external are the objects of the operator's that the files of values name.
var external = []string{
	"tapedeck-admin", "nats-user", "clickhouse-users", "tapedeck-tokens", "clickhouse", "tapedeck-oidc", "tapedeck-nats-client",
	"clickhouse-ca", "tapedeck-tls", "client-ca", "nats-ca", "td-tls", "redaction-rules", "tapedeck-metrics", "cluster-ca",
}

// checkFiles checks that every file that a setting names is mounted, that every mount has a
// volume, and that every secret is rendered with its key or is the operator's.
func checkFiles(t *testing.T, r *result) {
	for _, w := range r.workloads() {
		pod := w.Spec.Template.Spec
		c := pod.Containers[0]
		volumes := map[string][]string{} // name: its files, if they are known
		for _, v := range pod.Volumes {
			if volumes[v.Name] != nil {
				t.Errorf("%s has two volumes %s", w.Metadata.Name, v.Name)
			}
			volumes[v.Name] = []string{}
			switch {
			case v.Secret != nil:
				checkExists(t, r, v.Secret.SecretName, "", w.Kind == "Job")
			case v.ConfigMap != nil && !slices.Contains(external, v.ConfigMap.Name) && r.named("ConfigMap", v.ConfigMap.Name) == nil:
				t.Errorf("%s: there is no ConfigMap %s", w.Metadata.Name, v.ConfigMap.Name)
			case v.Projected != nil:
				for _, s := range v.Projected.Sources {
					for _, item := range s.Secret.Items {
						checkExists(t, r, s.Secret.Name, item.Key, w.Kind == "Job")
						volumes[v.Name] = append(volumes[v.Name], item.Path)
					}
				}
			}
		}
		for _, claim := range w.Spec.VolumeClaimTemplates {
			volumes[claim.Metadata.Name] = []string{}
		}
		mounts, mounted := map[string]string{}, map[string]bool{} // path: volume
		for _, m := range c.VolumeMounts {
			if volumes[m.Name] == nil {
				t.Errorf("%s mounts %s, which is no volume", w.Metadata.Name, m.Name)
			}
			mounts[m.MountPath], mounted[m.Name] = m.Name, true
		}
		for name := range volumes {
			if !mounted[name] {
				t.Errorf("%s: the volume %s is not mounted", w.Metadata.Name, name)
			}
		}
		for name, values := range settingsOf(t, r, &w) {
			file := values[0]
			if !strings.HasPrefix(file, "/") || mounts[file] == "data" {
				continue
			}
			volume, found := mounts[path.Dir(file)]
			if !found || volume == "secrets" && !slices.Contains(volumes[volume], path.Base(file)) {
				t.Errorf("%s: %s: %s is not mounted", w.Metadata.Name, name, file)
			}
		}
		started := strings.Join(c.Args, " ")
		if w.Kind != "Job" {
			started += configFile(t, r, &w)
		}
		for _, secret := range []string{"not-a-real", "td_"} {
			if strings.Contains(started, secret) {
				t.Errorf("%s has a secret among its settings: %s", w.Metadata.Name, started)
			}
		}
	}
}

// checkExists checks that a secret is the operator's, or is rendered with the key. A hook runs
// before what is not a hook is there.
func checkExists(t *testing.T, r *result, name, key string, hook bool) {
	t.Helper()
	if slices.Contains(external, name) {
		return
	}
	s := r.named("Secret", name)
	if s == nil {
		t.Errorf("there is no Secret %s", name)
		return
	}
	if text, err := base64.StdEncoding.DecodeString(s.Data[key]); err != nil || len(text) == 0 {
		t.Errorf("Secret %s has no %s", name, key)
	}
	if is := s.Metadata.Annotations["helm.sh/hook"] != ""; is != hook {
		t.Errorf("Secret %s is a hook: %v; who mounts it is: %v", name, is, hook)
	}
}
