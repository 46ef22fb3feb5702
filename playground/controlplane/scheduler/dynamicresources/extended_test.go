package dynamicresources

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/resourcev1"
)

// Upstream: extendeddynamicresources_test.go, Test_createRequestsAndMappings_requests and _mappings.
func TestRequestsAndMappings(t *testing.T) {
	container := func(name, more string) string {
		return fmt.Sprintf(`{"name":%q,"resources":{"requests":{%s}}}`, name, more)
	}
	sidecar := func(name, more string) string { return `{"restartPolicy":"Always",` + container(name, more)[1:] }
	const gpus = `"deviceclass.resource.kubernetes.io/gpu":`
	for _, tt := range []struct {
		name             string
		inits            []string
		containers       []string
		requests, mapped string
	}{
		{"one", nil, []string{container("a", gpus+`"2"`)}, "container-0-request-0=2", "a:container-0-request-0"},
		{"the place among what the container requests", nil, []string{container("a", `"cpu":"1",`+gpus+`"2","memory":"1Gi"`)}, "container-0-request-1=2",
			"a:container-0-request-1"},
		{"two containers", nil, []string{container("a", gpus+`"2"`), container("b", ""), container("c", gpus+`"1"`)},
			"container-0-request-0=2 container-2-request-0=1", "a:container-0-request-0 c:container-2-request-0"},
		{"an init container uses what comes later", []string{container("i", gpus+`"1"`)}, []string{container("a", gpus+`"2"`)}, "container-1-request-0=2",
			"a:container-1-request-0 i:container-1-request-0"},
		{"an init container that needs more", []string{container("i", gpus+`"3"`)}, []string{container("a", gpus+`"2"`)},
			"container-0-request-0=1 container-1-request-0=2", "a:container-1-request-0 i:container-1-request-0 i:container-0-request-0"},
		{"init containers take turns", []string{container("i", gpus+`"3"`), container("j", gpus+`"4"`)}, []string{container("a", gpus+`"2"`)},
			"container-1-request-0=2 container-2-request-0=2",
			"a:container-2-request-0 i:container-2-request-0 i:container-1-request-0 j:container-2-request-0 j:container-1-request-0"},
		{"not what a sidecar has that runs already", []string{sidecar("s", gpus+`"1"`), container("i", gpus+`"1"`)}, []string{container("a", "")},
			"container-0-request-0=1 container-1-request-0=1", "s:container-0-request-0 i:container-1-request-0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			pod := &corev1.Pod{}
			text := fmt.Sprintf(`{"spec":{"initContainers":[%s],"containers":[%s]}}`, strings.Join(tt.inits, ","), strings.Join(tt.containers, ","))
			if err := json.Unmarshal([]byte(text), pod); err != nil {
				t.Fatal(err)
			}
			requests, mappings := requestsAndMappings(pod, []corev1.ResourceName{corev1.ResourceName(resourcev1.ResourceDeviceClassPrefix + "gpu")},
				func(corev1.ResourceName) (string, bool) { return "gpu", true })
			var got, mapped []string
			for _, r := range requests {
				got = append(got, fmt.Sprint(r.Name, "=", r.Exactly.Count))
			}
			for _, m := range mappings {
				mapped = append(mapped, m.ContainerName+":"+m.RequestName)
			}
			if strings.Join(got, " ") != tt.requests || strings.Join(mapped, " ") != tt.mapped {
				t.Errorf("got  %v, %v\nwant %s, %s", got, mapped, tt.requests, tt.mapped)
			}
		})
	}
}
