// Package printers makes the tables that the API server answers with when a
// client asks for one: which columns a kind has and what stands in them. It
// exists because the server, not kubectl, decides what `kubectl get` shows.
//
// Guarantees: a table has the columns of Kubernetes 1.36, in its order, and
// each row as many cells. A kind without columns of its own gets its name and
// when it was made, as upstream.
//
// Simplified: columns have no descriptions; each row carries the whole object.
//
// Upstream: pkg/printers/internalversion/printers.go, and for kinds without
// columns apiserver/pkg/registry/rest/table.go.
package printers

import (
	"strings"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/duration"
	"kubewalk/playground/api/metav1"
)

// columns are the columns of each kind, by group and kind: names separated by
// "|". Behind a colon stands a type that is not string; a leading + is what is
// only shown with -o wide.
var columns = map[string]string{
	"Pod":                   "Name|Ready|Status|Restarts|Age|+IP|+Node|+Nominated Node|+Readiness Gates",
	"PodTemplate":           "Name|Containers|Images|Pod Labels",
	"ReplicationController": "Name|Desired:integer|Current:integer|Ready:integer|Age|+Containers|+Images|+Selector",
	"Service":               "Name|Type|Cluster-IP|External-IP|Port(s)|Age|+Selector",
	"Endpoints":             "Name|Endpoints|Age",
	"Node":                  "Name|Status|Roles|Age|Version|+Internal-IP|+External-IP|+OS-Image|+Kernel-Version|+Container-Runtime",
	"Event":                 "Last Seen|Type|Reason|Object|+Subobject|+Source|Message|+First Seen|+Count|+Name",
	"Namespace":             "Name|Status|Age",
	"Secret":                "Name|Type|Data|Age",
	"ServiceAccount":        "Name|Age",
	"PersistentVolume":      "Name|Capacity|Access Modes|Reclaim Policy|Status|Claim|StorageClass|VolumeAttributesClass|Reason|Age|+VolumeMode",
	"PersistentVolumeClaim": "Name|Status|Volume|Capacity|Access Modes|StorageClass|VolumeAttributesClass|Age|+VolumeMode",
	"ComponentStatus":       "Name|Status|Message|Error",
	"ConfigMap":             "Name|Data|Age",
	"ResourceQuota":         "Name|Request|Limit|Age",

	"ReplicaSet.apps":         "Name|Desired:integer|Current:integer|Ready:integer|Age|+Containers|+Images|+Selector",
	"Deployment.apps":         "Name|Ready|Up-to-date|Available|Age|+Containers|+Images|+Selector",
	"DaemonSet.apps":          "Name|Desired:integer|Current:integer|Ready:integer|Up-to-date:integer|Available:integer|Node Selector|Age|+Containers|+Images|+Selector",
	"StatefulSet.apps":        "Name|Ready|Age|+Containers|+Images",
	"ControllerRevision.apps": "Name|Controller|Revision|Age",
	"Job.batch":               "Name|Status|Completions|Duration|Age|+Containers|+Images|+Selector",
	"CronJob.batch":           "Name|Schedule|Timezone|Suspend:boolean|Active:integer|Last Schedule|Age|+Containers|+Images|+Selector",

	"HorizontalPodAutoscaler.autoscaling": "Name|Reference|Targets|MinPods|MaxPods|Replicas|Age",
	"Scale.autoscaling":                   "Name|Desired:integer|Available:integer|Age",
	"PodDisruptionBudget.policy":          "Name|Min Available|Max Unavailable|Allowed Disruptions:integer|Age",
	"PriorityClass.scheduling.k8s.io":     "Name|Value:integer|Global-Default:boolean|Age|PreemptionPolicy",
	"Lease.coordination.k8s.io":           "Name|Holder|Age",
	"EndpointSlice.discovery.k8s.io":      "Name|AddressType|Ports|Endpoints|Age",
	"Event.events.k8s.io":                 "Last Seen|Type|Reason|Object|+Subobject|+Source|Message|+First Seen|+Count|+Name",

	"Ingress.networking.k8s.io":       "Name|Class|Hosts|Address|Ports|Age",
	"IngressClass.networking.k8s.io":  "Name|Controller|Parameters|Age",
	"NetworkPolicy.networking.k8s.io": "Name|Pod-Selector|Age",
	"IPAddress.networking.k8s.io":     "Name|ParentRef",
	"ServiceCIDR.networking.k8s.io":   "Name|CIDRs|Age",

	"RoleBinding.rbac.authorization.k8s.io":        "Name|Role|Age|+Users|+Groups|+ServiceAccounts",
	"ClusterRoleBinding.rbac.authorization.k8s.io": "Name|Role|Age|+Users|+Groups|+ServiceAccounts",

	"StorageClass.storage.k8s.io":          "Name|Provisioner|ReclaimPolicy|VolumeBindingMode|AllowVolumeExpansion|Age",
	"VolumeAttributesClass.storage.k8s.io": "Name|DriverName|Age",
	"VolumeAttachment.storage.k8s.io":      "Name|Attacher|PV|Node|Attached:boolean|Age",
	"CSINode.storage.k8s.io":               "Name|Drivers:integer|Age",
	"CSIDriver.storage.k8s.io":             "Name|AttachRequired:boolean|PodInfoOnMount:boolean|StorageCapacity:boolean|TokenRequests|RequiresRepublish:boolean|Modes|Age",

	"MutatingWebhookConfiguration.admissionregistration.k8s.io":     "Name|Webhooks:integer|Age",
	"ValidatingWebhookConfiguration.admissionregistration.k8s.io":   "Name|Webhooks:integer|Age",
	"ValidatingAdmissionPolicy.admissionregistration.k8s.io":        "Name|Validations:integer|ParamKind|Age",
	"ValidatingAdmissionPolicyBinding.admissionregistration.k8s.io": "Name|PolicyName|ParamRef|Age",
	"MutatingAdmissionPolicy.admissionregistration.k8s.io":          "Name|Mutations:integer|ParamKind|Age",
	"MutatingAdmissionPolicyBinding.admissionregistration.k8s.io":   "Name|PolicyName|ParamRef|Age",

	"APIService.apiregistration.k8s.io": "Name|Service|Available|Age",
}

// plain are the columns of what has none of its own.
// Upstream: rest/table.go, NewDefaultTableConvertor.
const plain = "Name|Created At:date"

// TableOf is the table of one object. now is the server's time, from which ages count.
func TableOf(obj api.Object, now time.Time) *metav1.Table {
	t := newTable(api.KindOf(obj), []api.Object{obj}, now)
	t.ResourceVersion = obj.GetResourceVersion()
	return t
}

// TableOfList is the table of a list.
func TableOfList(list api.List, now time.Time) *metav1.Table {
	t := newTable(api.KindOfList(list), list.GetItems(), now)
	t.ListMeta = *list.GetListMeta()
	return t
}

func newTable(kind *api.Kind, objects []api.Object, now time.Time) *metav1.Table {
	if kind.Table != nil {
		return kind.Table(objects, now)
	}
	t := &metav1.Table{TypeMeta: metav1.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: "Table"}, Rows: []metav1.TableRow{}}
	text, ok := columns[kind.GroupKind().String()]
	if !ok {
		text = plain
	}
	for _, c := range strings.Split(text, "|") {
		t.ColumnDefinitions = append(t.ColumnDefinitions, column(c))
	}
	p := printer{now}
	for _, obj := range objects {
		cells := p.cells(obj)
		if cells == nil {
			cells = []any{obj.GetName(), obj.GetCreationTimestamp().UTC().Format(time.RFC3339)}
		}
		t.Rows = append(t.Rows, metav1.TableRow{Cells: cells, Object: obj})
	}
	return t
}

func column(text string) metav1.TableColumnDefinition {
	name, wide := strings.CutPrefix(text, "+")
	name, kind, typed := strings.Cut(name, ":")
	c := metav1.TableColumnDefinition{Name: name, Type: "string"}
	if typed {
		c.Type = kind
	}
	if name == "Name" {
		c.Format = "name"
	}
	if wide {
		c.Priority = 1
	}
	return c
}

// printer fills rows. It knows what time it is.
type printer struct{ now time.Time }

// age is how long ago something was.
// Upstream: printers.go, translateTimestampSince.
func (p printer) age(t time.Time) string {
	if t.IsZero() {
		return "<unknown>"
	}
	return duration.HumanDuration(p.now.Sub(t))
}

func (p printer) created(obj api.Object) string { return p.age(obj.GetCreationTimestamp().Time) }

// or is a text, or what stands for none.
func or(text, none string) string {
	if text == "" {
		return none
	}
	return text
}

// some is the text behind a pointer, or what stands for none.
func some[T ~string](v *T, none string) string {
	if v == nil {
		return none
	}
	return string(*v)
}

// number is the value behind a pointer; 0 for nil.
func number(n *int32) int64 {
	if n == nil {
		return 0
	}
	return int64(*n)
}

func yes(b *bool) bool { return b != nil && *b }

// most is how many things a cell names before it only counts.
const most = 3
