package admission

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/controlplane/store"
	"kubewalk/playground/sim"
)

// serviceAccount gives a Pod the identity with which its programs speak to the API: its account, and a token of it in a
// volume. Upstream: plugin/pkg/admission/serviceaccount/admission.go, Plugin.
type serviceAccount struct {
	store *store.Store
	rand  *sim.Rand
}

const (
	defaultServiceAccountName = "default"
	// tokenVolumePrefix begins the name of the volume with the token. Upstream: ServiceAccountVolumeName.
	tokenVolumePrefix = "kube-api-access-"
	// tokenMountPath is where programs look for it. Upstream: DefaultAPITokenMountPath.
	tokenMountPath = "/var/run/secrets/kubernetes.io/serviceaccount"
	// tokenExpirationSeconds is for how long one is asked for; the odd seconds tell these tokens from others.
	// Upstream: pkg/serviceaccount/claims.go, WarnOnlyBoundTokenExpirationPeriod.
	tokenExpirationSeconds = 3607
	rootCAConfigMap        = "kube-root-ca.crt"
	mirrorAnnotation       = "kubernetes.io/config.mirror"
)

func (*serviceAccount) Name() string { return "ServiceAccount" }

func (s *serviceAccount) Admit(p *sim.Proc, a *Attributes) error {
	pod := a.creating()
	if pod == nil {
		return nil
	}
	if _, mirror := pod.Annotations[mirrorAnnotation]; mirror {
		return nil
	}
	if pod.Spec.ServiceAccountName == "" {
		pod.Spec.ServiceAccountName = defaultServiceAccountName
	}
	pod.Spec.DeprecatedServiceAccount = pod.Spec.ServiceAccountName
	a.changed(s)
	account, err := s.serviceAccount(p, a.Namespace, pod.Spec.ServiceAccountName)
	if err != nil {
		return a.forbidden(fmt.Errorf("error looking up service account %s/%s: %w", a.Namespace, pod.Spec.ServiceAccountName, err))
	}
	if shouldAutomount(account, pod) {
		s.mountServiceAccountToken(pod)
	}
	if len(pod.Spec.ImagePullSecrets) == 0 {
		pod.Spec.ImagePullSecrets = slices.Clone(account.ImagePullSecrets)
	}
	return nil
}

// serviceAccount finds the account. That of a new namespace may be a moment late: it is made by a controller.
// Upstream: Plugin.getServiceAccount.
func (s *serviceAccount) serviceAccount(p *sim.Proc, namespace, name string) (*corev1.ServiceAccount, error) {
	attempts := 1
	if name == defaultServiceAccountName {
		attempts = 10
	}
	interval := time.Duration(0)
	for i := range attempts {
		if i == 1 {
			interval = s.rand.Between(100*time.Millisecond, 199*time.Millisecond)
		}
		p.Sleep(interval)
		if account, _ := s.store.Current(store.Key{Resource: "serviceaccounts", Namespace: namespace, Name: name}).(*corev1.ServiceAccount); account != nil {
			return account, nil
		}
	}
	return nil, apierrors.NewNotFound(api.GroupResource{Resource: "serviceaccount"}, name)
}

// shouldAutomount is the Pod's word, or else the account's, or else yes. Upstream: shouldAutomount.
func shouldAutomount(account *corev1.ServiceAccount, pod *corev1.Pod) bool {
	if v := pod.Spec.AutomountServiceAccountToken; v != nil {
		return *v
	}
	if v := account.AutomountServiceAccountToken; v != nil {
		return *v
	}
	return true
}

// mountServiceAccountToken mounts the token where nothing else is mounted. Upstream: Plugin.mountServiceAccountToken.
func (s *serviceAccount) mountServiceAccountToken(pod *corev1.Pod) {
	name := ""
	for i := range pod.Spec.Volumes {
		if v := &pod.Spec.Volumes[i]; strings.HasPrefix(v.Name, tokenVolumePrefix) {
			name = v.Name
		}
	}
	existing := name != ""
	if !existing {
		name = tokenVolumePrefix + s.rand.Suffix(5)
	}
	mounted := false
	for _, list := range [][]corev1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for i := range list {
			c := &list[i]
			if slices.ContainsFunc(c.VolumeMounts, func(m corev1.VolumeMount) bool { return m.MountPath == tokenMountPath }) {
				continue
			}
			c.VolumeMounts = append(c.VolumeMounts, corev1.VolumeMount{Name: name, ReadOnly: true, MountPath: tokenMountPath})
			mounted = true
		}
	}
	if mounted && !existing {
		pod.Spec.Volumes = append(pod.Spec.Volumes, corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{Projected: tokenVolumeSource()}})
	}
}

// tokenVolumeSource is what a program needs to speak to the API: a token, the certificate to know the server by, and its
// namespace. Upstream: TokenVolumeSource.
func tokenVolumeSource() *corev1.ProjectedVolumeSource {
	mode, seconds := corev1.ProjectedVolumeSourceDefaultMode, int64(tokenExpirationSeconds)
	return &corev1.ProjectedVolumeSource{
		DefaultMode: &mode,
		Sources: []corev1.VolumeProjection{
			{ServiceAccountToken: &corev1.ServiceAccountTokenProjection{Path: "token", ExpirationSeconds: &seconds}},
			{ConfigMap: &corev1.ConfigMapProjection{
				LocalObjectReference: corev1.LocalObjectReference{Name: rootCAConfigMap},
				Items:                []corev1.KeyToPath{{Key: "ca.crt", Path: "ca.crt"}},
			}},
			{DownwardAPI: &corev1.DownwardAPIProjection{Items: []corev1.DownwardAPIVolumeFile{{
				Path: "namespace", FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: "metadata.namespace"},
			}}}},
		},
	}
}

// serviceAccountName stands in for the plugin where no controller makes accounts: Pods are given the default's name, and
// no token. Upstream has no such thing.
type serviceAccountName struct{}

func (serviceAccountName) Name() string { return "ServiceAccountName" }

func (s serviceAccountName) Admit(_ *sim.Proc, a *Attributes) error {
	if pod := a.creating(); pod != nil {
		if pod.Spec.ServiceAccountName == "" {
			pod.Spec.ServiceAccountName = defaultServiceAccountName
		}
		pod.Spec.DeprecatedServiceAccount = pod.Spec.ServiceAccountName
		a.changed(s)
	}
	return nil
}
