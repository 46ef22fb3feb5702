package kubectl

import (
	"fmt"
	"slices"
	"strings"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/resource"
	"kubewalk/playground/api/sorting"
)

var zeroQuantity resource.Quantity

// describeTemplate is a Pod template alone, as rollout history --revision shows it.
func describeTemplate(t *corev1.PodTemplateSpec) string {
	d := &describer{}
	d.podTemplate(t)
	return strings.ReplaceAll(d.text.String(), "\n  \t", "\n\t") // nobody aligns it
}

// podTemplate is upstream's describe.go, DescribePodTemplate.
func (d *describer) podTemplate(t *corev1.PodTemplateSpec) {
	d.line(0, "Pod Template:")
	if t == nil {
		d.text.WriteString("  <unset>")
		return
	}
	d.multiline("  ", "Labels", "\t", "=", t.Labels)
	if len(t.Annotations) > 0 {
		d.multiline("  ", "Annotations", "\t", ": ", t.Annotations)
	}
	if t.Spec.ServiceAccountName != "" {
		d.line(0, "  Service Account:\t%s", t.Spec.ServiceAccountName)
	}
	if len(t.Spec.InitContainers) > 0 {
		d.containers("Init Containers", t.Spec.InitContainers, nil, "  ")
	}
	d.containers("Containers", t.Spec.Containers, nil, "  ")
	d.volumes(t.Spec.Volumes, "  ")
	d.spread(t.Spec.TopologySpreadConstraints, "  ")
	if t.Spec.PriorityClassName != "" {
		d.line(0, "  Priority Class Name:\t%s", t.Spec.PriorityClassName)
	}
	d.multiline("  ", "Node-Selectors", "\t", "=", t.Spec.NodeSelector)
	d.tolerations("  ", "Tolerations", "\t", t.Spec.Tolerations)
}

// containers is upstream's describe.go, describeContainers.
func (d *describer) containers(label string, list []corev1.Container, statuses []corev1.ContainerStatus, space string) {
	if len(list) == 0 {
		d.line(0, "%s%s: <none>", space, label)
		return
	}
	d.line(0, "%s%s:", space, label)
	for n := range list {
		c := &list[n]
		at := slices.IndexFunc(statuses, func(s corev1.ContainerStatus) bool { return s.Name == c.Name })
		var status *corev1.ContainerStatus
		if at >= 0 {
			status = &statuses[at]
		}
		if space != "" {
			d.line(1, " %s:", c.Name)
		} else {
			d.line(1, "%s:", c.Name)
		}
		d.container(c, status)
	}
}

func (d *describer) container(c *corev1.Container, status *corev1.ContainerStatus) {
	if status != nil {
		d.line(2, "Container ID:\t%s", status.ContainerID)
	}
	d.line(2, "Image:\t%s", c.Image)
	if status != nil {
		d.line(2, "Image ID:\t%s", status.ImageID)
	}
	var ports, hostPorts []string
	for _, p := range c.Ports {
		text, name := fmt.Sprintf("%d/%s", p.ContainerPort, p.Protocol), ""
		if p.Name != "" {
			name = fmt.Sprintf(" (%s)", p.Name)
		}
		ports, hostPorts = append(ports, text+name), append(hostPorts, fmt.Sprintf("%d/%s%s", p.HostPort, p.Protocol, name))
	}
	s := ""
	if len(ports) > 1 {
		s = "s"
	}
	d.line(2, "Port%s:\t%s", s, none(strings.Join(ports, ", ")))
	d.line(2, "Host Port%s:\t%s", s, none(strings.Join(hostPorts, ", ")))
	for _, words := range []struct {
		label string
		words []string
	}{{"Command", c.Command}, {"Args", c.Args}} {
		if len(words.words) == 0 {
			continue
		}
		d.line(2, "%s:", words.label)
		for _, w := range words.words {
			for _, l := range strings.Split(w, "\n") {
				d.line(3, "%s", l)
			}
		}
	}
	if status != nil {
		d.state("State", &status.State)
		if status.LastTerminationState.Terminated != nil {
			d.state("Last State", &status.LastTerminationState)
		}
		d.line(2, "Ready:\t%s", title(status.Ready))
		d.line(2, "Restart Count:\t%d", status.RestartCount)
	}
	d.resources(2, "Limits", c.Resources.Limits)
	d.resources(2, "Requests", c.Resources.Requests)
	for _, p := range []struct {
		label string
		probe *corev1.Probe
	}{{"Liveness", c.LivenessProbe}, {"Readiness", c.ReadinessProbe}, {"Startup", c.StartupProbe}} {
		if p.probe != nil {
			d.line(2, "%s:\t%s", p.label, describeProbe(p.probe))
		}
	}
	d.envFrom(c)
	d.env(c)
	d.mounts(c)
}

func (d *describer) resources(level int, label string, list corev1.ResourceList) {
	if len(list) == 0 {
		return
	}
	d.line(level, "%s:", label)
	for _, name := range resourceNames(list) {
		q := list[name]
		d.line(level+1, "%s:\t%s", name, q.String())
	}
}

func resourceNames(list corev1.ResourceList) []corev1.ResourceName {
	var out []corev1.ResourceName
	for name := range list { // order: they are sorted below
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// state is upstream's describe.go, describeStatus.
func (d *describer) state(label string, s *corev1.ContainerState) {
	switch {
	case s.Running != nil:
		d.line(2, "%s:\tRunning", label)
		d.line(3, "Started:\t%s", clock(s.Running.StartedAt))
	case s.Terminated != nil:
		t := s.Terminated
		d.line(2, "%s:\tTerminated", label)
		if t.Reason != "" {
			d.line(3, "Reason:\t%s", t.Reason)
		}
		if t.Message != "" {
			d.line(3, "Message:\t%s", t.Message)
		}
		d.line(3, "Exit Code:\t%d", t.ExitCode)
		if t.Signal > 0 {
			d.line(3, "Signal:\t%d", t.Signal)
		}
		d.line(3, "Started:\t%s", clock(t.StartedAt))
		d.line(3, "Finished:\t%s", clock(t.FinishedAt))
	default:
		d.line(2, "%s:\tWaiting", label)
		if s.Waiting != nil && s.Waiting.Reason != "" {
			d.line(3, "Reason:\t%s", s.Waiting.Reason)
		}
	}
}

// describeProbe is upstream's describe.go, DescribeProbe.
func describeProbe(p *corev1.Probe) string {
	attrs := fmt.Sprintf("delay=%ds timeout=%ds period=%ds #success=%d #failure=%d", p.InitialDelaySeconds, p.TimeoutSeconds, p.PeriodSeconds, p.SuccessThreshold,
		p.FailureThreshold)
	switch {
	case p.Exec != nil:
		return fmt.Sprintf("exec %v %s", p.Exec.Command, attrs)
	case p.HTTPGet != nil:
		return fmt.Sprintf("http-get %s://%s:%s%s %s", strings.ToLower(string(p.HTTPGet.Scheme)), p.HTTPGet.Host, p.HTTPGet.Port.String(), p.HTTPGet.Path, attrs)
	case p.TCPSocket != nil:
		return fmt.Sprintf("tcp-socket %s:%s %s", p.TCPSocket.Host, p.TCPSocket.Port.String(), attrs)
	case p.GRPC != nil:
		service := ""
		if p.GRPC.Service != nil {
			service = *p.GRPC.Service
		}
		return fmt.Sprintf("grpc <pod>:%d %s %s", p.GRPC.Port, service, attrs)
	}
	return "unknown " + attrs
}

func optional(b *bool) bool { return b != nil && *b }

func (d *describer) envFrom(c *corev1.Container) {
	if len(c.EnvFrom) == 0 {
		return
	}
	d.line(2, "Environment Variables from:")
	for _, e := range c.EnvFrom {
		name, from, maybe := "", "", false
		switch {
		case e.ConfigMapRef != nil:
			name, from, maybe = e.ConfigMapRef.Name, "ConfigMap", optional(e.ConfigMapRef.Optional)
		case e.SecretRef != nil:
			name, from, maybe = e.SecretRef.Name, "Secret", optional(e.SecretRef.Optional)
		}
		if e.Prefix != "" {
			from += fmt.Sprintf(" with prefix '%s'", e.Prefix)
		}
		d.line(3, "%s\t%s\tOptional: %t", name, from, maybe)
	}
}

func (d *describer) env(c *corev1.Container) {
	if len(c.Env) == 0 {
		d.line(2, "Environment:\t<none>")
		return
	}
	d.line(2, "Environment:")
	for _, e := range c.Env {
		v := e.ValueFrom
		switch {
		case v == nil:
			for i, l := range strings.Split(e.Value, "\n") {
				if i == 0 {
					d.line(3, "%s:\t%s", e.Name, l)
				} else {
					d.line(3, "\t%s", l)
				}
			}
		case v.FieldRef != nil:
			d.line(3, "%s:\t%s (%s:%s)", e.Name, d.known[v.FieldRef.FieldPath], v.FieldRef.APIVersion, v.FieldRef.FieldPath)
		case v.ResourceFieldRef != nil:
			value := resourceValue(v.ResourceFieldRef, c)
			d.line(3, "%s:\t%s (%s)", e.Name, value, v.ResourceFieldRef.Resource)
		case v.SecretKeyRef != nil:
			d.line(3, "%s:\t<set to the key '%s' in secret '%s'>\tOptional: %t", e.Name, v.SecretKeyRef.Key, v.SecretKeyRef.Name, optional(v.SecretKeyRef.Optional))
		case v.ConfigMapKeyRef != nil:
			d.line(3, "%s:\t<set to the key '%s' of config map '%s'>\tOptional: %t", e.Name, v.ConfigMapKeyRef.Key, v.ConfigMapKeyRef.Name,
				optional(v.ConfigMapKeyRef.Optional))
		}
	}
}

// resourceValue is a request or limit in units of the divisor, rounded up.
// Upstream: kubectl pkg/util/resource/resource.go, ExtractContainerResourceValue, and describe.go, describeContainerEnvVars.
func resourceValue(ref *corev1.ResourceFieldSelector, c *corev1.Container) string {
	kind, name, _ := strings.Cut(ref.Resource, ".")
	list := c.Resources.Requests
	if kind == "limits" {
		list = c.Resources.Limits
	}
	q := list[corev1.ResourceName(name)]
	n, by := q.Value(), max(ref.Divisor.Value(), 1)
	if name == "cpu" {
		if n, by = q.MilliValue(), ref.Divisor.MilliValue(); by == 0 {
			by = 1000
		}
	}
	if n == 0 && kind == "limits" && (name == "cpu" || name == "memory") {
		return "node allocatable"
	}
	return fmt.Sprint((n + by - 1) / by)
}

func (d *describer) mounts(c *corev1.Container) {
	if len(c.VolumeMounts) == 0 {
		d.line(2, "Mounts:\t<none>")
		return
	}
	d.line(2, "Mounts:")
	mounts := slices.Clone(c.VolumeMounts)
	sorting.Stable(mounts, func(a, b corev1.VolumeMount) int { return strings.Compare(a.MountPath, b.MountPath) })
	for _, m := range mounts {
		flags := "rw"
		if m.ReadOnly {
			flags = "ro"
		}
		if m.SubPath != "" {
			flags += fmt.Sprintf(",path=%q", m.SubPath)
		}
		d.line(3, "%s from %s (%s)", m.MountPath, m.Name, flags)
	}
}

// volumes is upstream's describe.go, describeVolumes, for the kinds of volumes that exist here.
func (d *describer) volumes(list []corev1.Volume, space string) {
	if len(list) == 0 {
		d.line(0, "%sVolumes:\t<none>", space)
		return
	}
	d.line(0, "%sVolumes:", space)
	inner := ""
	if space != "" {
		inner = " "
	}
	for _, v := range list {
		d.line(1, "%s%s:", inner, v.Name)
		switch {
		case v.EmptyDir != nil:
			limit := "<unset>"
			if v.EmptyDir.SizeLimit != nil && v.EmptyDir.SizeLimit.Cmp(zeroQuantity) > 0 {
				limit = v.EmptyDir.SizeLimit.String()
			}
			d.line(2, "Type:\tEmptyDir (a temporary directory that shares a pod's lifetime)")
			d.line(2, "Medium:\t%s", v.EmptyDir.Medium)
			d.line(2, "SizeLimit:\t%s", limit)
		case v.HostPath != nil:
			kind := "<none>"
			if v.HostPath.Type != nil {
				kind = string(*v.HostPath.Type)
			}
			d.line(2, "Type:\tHostPath (bare host directory volume)")
			d.line(2, "Path:\t%s", v.HostPath.Path)
			d.line(2, "HostPathType:\t%s", kind)
		case v.Image != nil && describeImageVolume != nil:
			describeImageVolume(d, v.Image)
		case v.ConfigMap != nil:
			d.line(2, "Type:\tConfigMap (a volume populated by a ConfigMap)")
			d.line(2, "Name:\t%s", v.ConfigMap.Name)
			d.line(2, "Optional:\t%t", optional(v.ConfigMap.Optional))
		case v.Secret != nil:
			d.line(2, "Type:\tSecret (a volume populated by a Secret)")
			d.line(2, "SecretName:\t%s", v.Secret.SecretName)
			d.line(2, "Optional:\t%t", optional(v.Secret.Optional))
		case v.DownwardAPI != nil:
			d.line(2, "Type:\tDownwardAPI (a volume populated by information about the pod)")
			d.line(2, "Items:")
			for _, item := range v.DownwardAPI.Items {
				if item.FieldRef != nil {
					d.line(3, "%s -> %s", item.FieldRef.FieldPath, item.Path)
				}
				if item.ResourceFieldRef != nil {
					d.line(3, "%s -> %s", item.ResourceFieldRef.Resource, item.Path)
				}
			}
		case v.PersistentVolumeClaim != nil:
			d.line(2, "Type:\tPersistentVolumeClaim (a reference to a PersistentVolumeClaim in the same namespace)")
			d.line(2, "ClaimName:\t%s", v.PersistentVolumeClaim.ClaimName)
			d.line(2, "ReadOnly:\t%t", v.PersistentVolumeClaim.ReadOnly)
		case v.Projected != nil:
			d.projected(v.Projected)
		default:
			d.text.WriteString("  <unknown>\n")
		}
	}
}

// describeImageVolume is there in builds that have such volumes.
var describeImageVolume func(d *describer, v *corev1.ImageVolumeSource)

func (d *describer) projected(v *corev1.ProjectedVolumeSource) {
	d.line(2, "Type:\tProjected (a volume that contains injected data from multiple sources)")
	for _, source := range v.Sources {
		switch {
		case source.Secret != nil:
			d.line(2, "SecretName:\t%s", source.Secret.Name)
			d.line(2, "Optional:\t%t", optional(source.Secret.Optional))
		case source.DownwardAPI != nil:
			d.line(2, "DownwardAPI:\ttrue")
		case source.ConfigMap != nil:
			d.line(2, "ConfigMapName:\t%s", source.ConfigMap.Name)
			d.line(2, "Optional:\t%t", optional(source.ConfigMap.Optional))
		case source.ServiceAccountToken != nil:
			seconds := int64(3600)
			if s := source.ServiceAccountToken.ExpirationSeconds; s != nil {
				seconds = *s
			}
			d.line(2, "TokenExpirationSeconds:\t%d", seconds)
		}
	}
}

func (d *describer) spread(list []corev1.TopologySpreadConstraint, space string) {
	if len(list) == 0 {
		return
	}
	list = slices.Clone(list)
	sorting.Stable(list, func(a, b corev1.TopologySpreadConstraint) int { return strings.Compare(a.TopologyKey, b.TopologyKey) })
	d.text.WriteString(space + "Topology Spread Constraints:\t")
	for i, c := range list {
		if i > 0 {
			d.text.WriteString(space + "\t")
		}
		fmt.Fprintf(&d.text, "%s:%s when max skew %d is exceeded", c.TopologyKey, c.WhenUnsatisfiable, c.MaxSkew)
		if c.LabelSelector != nil {
			d.text.WriteString(" for selector " + selectorText(c.LabelSelector))
		}
		d.text.WriteByte('\n')
	}
}

// selectorText is upstream's metav1.FormatLabelSelector.
func selectorText(s *metav1.LabelSelector) string {
	sel, err := labels.LabelSelectorAsSelector(s)
	if err != nil {
		return "<error>"
	}
	return none(sel.String())
}

// tolerations is upstream's describe.go, printTolerationsMultilineWithIndent.
func (d *describer) tolerations(indent, label, inner string, list []corev1.Toleration) {
	d.text.WriteString(indent + label + ":" + inner)
	if len(list) == 0 {
		d.text.WriteString("<none>\n")
		return
	}
	list = slices.Clone(list)
	sorting.Stable(list, func(a, b corev1.Toleration) int { return strings.Compare(a.Key, b.Key) })
	for i, t := range list {
		if i > 0 {
			d.text.WriteString(indent + inner)
		}
		text := t.Key
		if t.Value != "" {
			text += "=" + t.Value
		}
		if t.Effect != "" {
			text += ":" + string(t.Effect)
		}
		if t.Operator == corev1.TolerationOpExists && t.Value == "" {
			if t.Key != "" || t.Effect != "" {
				text += " op=Exists"
			} else {
				text += "op=Exists"
			}
		}
		if t.TolerationSeconds != nil {
			text += fmt.Sprintf(" for %ds", *t.TolerationSeconds)
		}
		d.text.WriteString(text + "\n")
	}
}
