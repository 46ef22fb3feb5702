package kustomize

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// references are the fields that hold the names of other resources: which are meant, whose fields they are, and their paths. workloads
// stands for all kinds with a template of Pods that upstream has for ConfigMaps and Secrets, runners for those that it has for other kinds.
// Upstream: api/internal/konfig/builtinpluginconsts/namereference.go.
const references = `
Deployment HorizontalPodAutoscaler spec/scaleTargetRef/name
ReplicationController HorizontalPodAutoscaler spec/scaleTargetRef/name
ReplicaSet HorizontalPodAutoscaler spec/scaleTargetRef/name
StatefulSet HorizontalPodAutoscaler spec/scaleTargetRef/name
ConfigMap::v1 workloads volumes/configMap/name
ConfigMap::v1 workloads containers/env/valueFrom/configMapKeyRef/name
ConfigMap::v1 workloads initContainers/env/valueFrom/configMapKeyRef/name
ConfigMap::v1 workloads containers/envFrom/configMapRef/name
ConfigMap::v1 workloads initContainers/envFrom/configMapRef/name
ConfigMap::v1 workloads volumes/projected/sources/configMap/name
ConfigMap::v1 Node spec/configSource/configMap
ConfigMap::v1 Role rules/resourceNames
ConfigMap::v1 ClusterRole rules/resourceNames
ConfigMap::v1 Ingress metadata/annotations/nginx.ingress.kubernetes.io\/fastcgi-params-configmap
Secret::v1 workloads volumes/secret/secretName
Secret::v1 workloads containers/env/valueFrom/secretKeyRef/name
Secret::v1 workloads initContainers/env/valueFrom/secretKeyRef/name
Secret::v1 workloads containers/envFrom/secretRef/name
Secret::v1 workloads initContainers/envFrom/secretRef/name
Secret::v1 workloads imagePullSecrets/name
Secret::v1 workloads volumes/projected/sources/secret/name
Secret::v1 Ingress spec/tls/secretName
Secret::v1 Ingress metadata/annotations/ingress.kubernetes.io\/auth-secret
Secret::v1 Ingress metadata/annotations/nginx.ingress.kubernetes.io\/auth-secret
Secret::v1 Ingress metadata/annotations/nginx.ingress.kubernetes.io\/auth-tls-secret
Secret::v1 ServiceAccount imagePullSecrets/name
Secret::v1 StorageClass parameters/secretName
Secret::v1 StorageClass parameters/adminSecretName
Secret::v1 StorageClass parameters/userSecretName
Secret::v1 StorageClass parameters/secretRef
Secret::v1 Role rules/resourceNames
Secret::v1 ClusterRole rules/resourceNames
Secret::v1 Service:serving.knative.dev:v1 spec/template/spec/containers/env/valueFrom/secretKeyRef/name
Secret::v1 PersistentVolume spec/azureFile/secretName
Service::v1 StatefulSet:apps spec/serviceName
Service::v1 Ingress spec/rules/http/paths/backend/serviceName
Service::v1 Ingress spec/backend/serviceName
Service::v1 Ingress spec/rules/http/paths/backend/service/name
Service::v1 Ingress spec/defaultBackend/service/name
Service::v1 APIService:apiregistration.k8s.io spec/service/name
Service::v1 ValidatingWebhookConfiguration:admissionregistration.k8s.io webhooks/clientConfig/service
Service::v1 MutatingWebhookConfiguration:admissionregistration.k8s.io webhooks/clientConfig/service
Role:rbac.authorization.k8s.io RoleBinding:rbac.authorization.k8s.io roleRef/name
ClusterRole:rbac.authorization.k8s.io RoleBinding:rbac.authorization.k8s.io roleRef/name
ClusterRole:rbac.authorization.k8s.io ClusterRoleBinding:rbac.authorization.k8s.io roleRef/name
ServiceAccount::v1 RoleBinding:rbac.authorization.k8s.io subjects
ServiceAccount::v1 ClusterRoleBinding:rbac.authorization.k8s.io subjects
ServiceAccount::v1 runners serviceAccountName
PersistentVolumeClaim::v1 runners volumes/persistentVolumeClaim/claimName
PersistentVolume::v1 PersistentVolumeClaim spec/volumeName
PersistentVolume::v1 ClusterRole rules/resourceNames
StorageClass:storage.k8s.io:v1 PersistentVolume spec/storageClassName
StorageClass:storage.k8s.io:v1 PersistentVolumeClaim spec/storageClassName
StorageClass:storage.k8s.io:v1 StatefulSet spec/volumeClaimTemplates/spec/storageClassName
PriorityClass:scheduling.k8s.io:v1 runners priorityClassName
ValidatingAdmissionPolicy:admissionregistration.k8s.io ValidatingAdmissionPolicyBinding:admissionregistration.k8s.io spec/policyName`

const (
	workloads = "Pod PodTemplate Deployment ReplicaSet DaemonSet StatefulSet Job CronJob"
	runners   = "Pod StatefulSet Deployment ReplicationController CronJob Job DaemonSet"
)

// refer corrects the names of others in each resource. Upstream: api/internal/accumulator/namereferencetransformer.go.
func (all resources) refer() error {
	words := strings.Fields(references)
	for i := 0; i < len(words); i += 3 {
		which, path := kind(words[i]), words[i+2]
		for _, r := range all {
			of, path := kind(words[i+1]), path
			if pods := map[string]string{"workloads": workloads, "runners": runners}[of.Kind]; pods != "" {
				of = Gvk{Kind: r.original().Kind}
				if !slices.Contains(strings.Fields(pods), of.Kind) {
					continue
				}
				switch of.Kind {
				case "Pod":
					path = "spec/" + path
				case "PodTemplate":
					path = "template/spec/" + path
				case "CronJob":
					path = "spec/jobTemplate/spec/template/spec/" + path
				default:
					path = "spec/template/spec/" + path
				}
			}
			if !r.original().is(of) {
				continue
			}
			ref := reference{r, which, path, all}
			if err := r.each(FieldSpec{Path: path}, nothing, ref.correct); err != nil {
				return fmt.Errorf("updating name reference in '%s' field of '%s': %w", path, r.id(), err)
			}
		}
	}
	return nil
}

// reference is a field in which a resource names another one. Upstream: api/filters/nameref/nameref.go.
type reference struct {
	from *resource
	to   Gvk
	path string
	all  resources
}

// correct is the field's value with the name that is right now.
func (f reference) correct(v any) (any, error) {
	switch v := v.(type) {
	case []any:
		for i := range v {
			w, err := f.correct(v[i])
			if err != nil {
				return nil, err
			}
			v[i] = w
		}
	case map[string]any:
		name, there := v["name"]
		if !there {
			return nil, errors.New("path config error; no 'name' field in node")
		}
		namespace, named := v["namespace"]
		to, err := f.find(scalar(name), scalar(namespace), named, true)
		if to == nil || err != nil {
			return v, err
		}
		v["name"] = to.text("metadata", "name")
		if n := to.text("metadata", "namespace"); n != "" {
			v["namespace"] = n
		}
	case nil:
	default:
		to, err := f.find(scalar(v), "", false, false)
		if to == nil || err != nil {
			return v, err
		}
		return to.text("metadata", "name"), nil
	}
	return v, nil
}

// find is the resource that a name means. Upstream: nameref.go, selectReferral.
func (f reference) find(name, namespace string, named, both bool) (*resource, error) {
	now := f.from.id()
	roleKind, roleGroup := f.from.text("roleRef", "kind"), f.from.text("roleRef", "apiGroup")
	ofRole := strings.HasSuffix(f.path, "roleRef/name") && roleKind != "" && roleGroup != ""
	was, is := false, func(i ResId) bool { return i.effective() == namespace && namespace != noNamespace }
	for _, r := range f.all {
		was = was || is(r.original())
	}
	var found resources
	for _, r := range f.all {
		i := r.id()
		same := now.clusterScoped() || i.clusterScoped() || i.effective() == now.effective()
		reached := same || f.bindsIn(i.Namespace)
		allowed := same || i.Kind == "ServiceAccount"
		if !reached || !allowed || named && (was && !is(r.original()) || !was && !is(i)) {
			continue
		}
		is := func(of Gvk) bool {
			return slices.ContainsFunc(r.previousIds(), func(i ResId) bool { return i.is(of) })
		}
		called := slices.ContainsFunc(r.previous, func(i ResId) bool { return i.Name == name })
		if called && is(f.to) && (!ofRole || is(Gvk{Group: roleGroup, Kind: roleKind})) {
			found = append(found, r)
		}
	}
	for _, exact := range []bool{false, true} {
		if len(found) > 1 || !exact && len(found) != 1 {
			found = slices.DeleteFunc(found, func(r *resource) bool {
				return !sameEnd(r.prefixes, f.from.prefixes, exact) || !sameEnd(r.suffixes, f.from.suffixes, exact)
			})
		}
	}
	if len(found) == 0 {
		return nil, nil
	}
	var ids []string
	different := false
	for _, r := range found {
		i, first := r.id(), found[0].id()
		ids = append(ids, i.String())
		different = different || i.Name != first.Name || both && i.Namespace != first.Namespace
	}
	if different {
		return nil, fmt.Errorf("found multiple possible referrals: %s", strings.Join(ids, ", "))
	}
	return found[0], nil
}

// bindsIn says that the reference is from a binding that names a service account of that namespace.
func (f reference) bindsIn(namespace string) bool {
	subjects, _ := f.from.tree["subjects"].([]any)
	return f.from.text("kind") == "RoleBinding" && slices.ContainsFunc(subjects, func(s any) bool {
		m, _ := s.(map[string]any)
		return m["kind"] == "ServiceAccount" && m["namespace"] == namespace
	})
}

// sameEnd says that one list ends as the other; if it need not be exact, an empty one ends as any.
// Upstream: api/internal/utils/stringslice.go, SameEndingSubSlice.
func sameEnd(a, b []string, exact bool) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(a) == 0 {
		return !exact || len(b) == 0
	}
	return slices.Equal(a, b[len(b)-len(a):])
}
