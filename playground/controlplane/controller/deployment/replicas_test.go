package deployment

import (
	"fmt"
	"strings"
	"testing"

	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/intstr"
	"kubewalk/playground/controlplane/controller"
)

func TestResolveFenceposts(t *testing.T) {
	for _, c := range []struct {
		maxSurge, maxUnavailable string
		desired                  int32
		surge, unavailable       int32
		err                      string
	}{
		{"25%", "25%", 4, 1, 1, ""},
		{"25%", "25%", 1, 1, 0, ""},
		{"25%", "25%", 10, 3, 2, ""}, // up, and down
		{"25%", "25%", 0, 0, 1, ""},  // both 0: one may be unavailable
		{"0", "0", 5, 0, 1, ""},
		{"0%", "10%", 5, 0, 1, ""}, // down to 0
		{"1", "0", 5, 1, 0, ""},
		{"100%", "0", 7, 7, 0, ""},
		{"150%", "0", 3, 5, 0, ""},
		{"", "", 3, 0, 1, ""},
		{"5%", "0", 100, 5, 0, ""},
		{"1.5%", "0", 100, 0, 0, "invalid value for IntOrString"},
		{"0", "many", 100, 0, 0, "invalid value for IntOrString"},
	} {
		value := func(s string) *intstr.IntOrString {
			if s == "" {
				return nil
			}
			v := intstr.Parse(s)
			return &v
		}
		surge, unavailable, err := ResolveFenceposts(value(c.maxSurge), value(c.maxUnavailable), c.desired)
		if surge != c.surge || unavailable != c.unavailable || (err != nil) != (c.err != "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("maxSurge=%s maxUnavailable=%s of %d: %d, %d, %v; want %d, %d, %q", c.maxSurge, c.maxUnavailable, c.desired, surge, unavailable, err, c.surge,
				c.unavailable, c.err)
		}
	}
}

func sets(max int32, replicas ...int32) []*appsv1.ReplicaSet {
	var out []*appsv1.ReplicaSet
	for i, n := range replicas {
		rs := &appsv1.ReplicaSet{}
		rs.Name = fmt.Sprintf("rs-%d", i)
		rs.Spec.Replicas = &n
		SetReplicasAnnotations(rs, max, max)
		out = append(out, rs)
	}
	return out
}

// What one ReplicaSet after another gets of a change, and what rounding leaves
// to the largest, as scale shares it out.
func TestGetReplicaSetProportion(t *testing.T) {
	for _, c := range []struct {
		name     string
		before   int32 // replicas + maxSurge when they were scaled
		replicas []int32
		after    int32 // spec.replicas now, with no surge
		want     []int32
	}{
		{"one grows alone", 10, []int32{10}, 15, []int32{15}},
		{"halves stay halves", 10, []int32{5, 5}, 20, []int32{10, 10}},
		{"a third more", 10, []int32{8, 2}, 15, []int32{12, 3}},
		{"rounding is made up for by the largest", 10, []int32{4, 3, 3}, 11, []int32{5, 3, 3}},
		{"halves up", 10, []int32{5, 5}, 11, []int32{5, 6}},
		{"shrinks to a fifth", 10, []int32{7, 3}, 2, []int32{1, 1}},
		{"to nothing", 10, []int32{7, 3}, 0, []int32{0, 0}},
		{"nothing to do", 10, []int32{7, 3}, 10, []int32{7, 3}},
		{"one that is at 0 stays", 10, []int32{10, 0}, 20, []int32{20, 0}},
		{"of equals the newest takes what is left", 3, []int32{1, 1, 1}, 4, []int32{1, 1, 2}},
		{"never more than is left", 4, []int32{2, 1, 1}, 6, []int32{3, 1, 2}},
	} {
		d := &appsv1.Deployment{}
		d.Spec.Replicas = &c.after
		d.Spec.Strategy.Type = appsv1.RollingUpdateDeploymentStrategyType
		all := sets(c.before, c.replicas...)
		toAdd := c.after - GetReplicaCountForReplicaSets(all)
		if toAdd < 0 {
			controller.SortReplicaSetsBySizeOlder(all)
		} else {
			controller.SortReplicaSetsBySizeNewer(all)
		}
		sizes, added := map[string]int32{}, int32(0)
		for _, rs := range all {
			n := GetReplicaSetProportion(rs, d, toAdd, added)
			sizes[rs.Name] = *rs.Spec.Replicas + n
			added += n
		}
		sizes[all[0].Name] += toAdd - added
		var got []int32
		total := int32(0)
		for i := range c.replicas {
			n := sizes[fmt.Sprintf("rs-%d", i)]
			got = append(got, n)
			total += n
		}
		if fmt.Sprint(got) != fmt.Sprint(c.want) || total != c.after {
			t.Errorf("%s: %v to %d: %v, want %v", c.name, c.replicas, c.after, got, c.want)
		}
	}
}

func TestRevisionHistory(t *testing.T) {
	for _, c := range []struct {
		history, revision string
		limit             int
		want              string
	}{
		{"", "1", 2000, "1"},
		{"1", "3", 2000, "1,3"},
		{"1,3,5", "7", 5, "3,5,7"},
		{"100,200", "300", 7, "200,300"},
		{"100,200", "300", 2, "300"},
	} {
		if got := withRevision(c.history, c.revision, c.limit); got != c.want {
			t.Errorf("%q and %q in %d letters: %q, want %q", c.history, c.revision, c.limit, got, c.want)
		}
	}
}

func TestComputeHash(t *testing.T) {
	template := &corev1.PodTemplateSpec{}
	template.Labels = map[string]string{"app": "web", "tier": "front"}
	template.Spec.Containers = []corev1.Container{{Name: "web", Image: "nginx:1.27"}}
	one := int32(1)
	a, b := controller.ComputeHash(template, nil), controller.ComputeHash(template.DeepCopy(), nil)
	if a != b {
		t.Errorf("the same template has the hashes %s and %s", a, b)
	}
	if c := controller.ComputeHash(template, &one); c == a {
		t.Errorf("a collision does not change the hash %s", a)
	}
	template.Spec.Containers[0].Image = "nginx:1.28"
	if c := controller.ComputeHash(template, nil); c == a {
		t.Errorf("another template has the hash %s too", a)
	}
	for _, r := range a {
		if !strings.ContainsRune("bcdfghjklmnpqrstvwxz2456789", r) {
			t.Errorf("hash %s has a letter that is not safe: %c", a, r)
		}
	}
}
