package validation

import (
	"testing"

	"kubewalk/playground/api/apiextensionsv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/resourcev1"
)

// Each of these mistakes was once no mistake in a validation that was broken on purpose, and no other test noticed.
func TestMistakes(t *testing.T) {
	for _, c := range []struct{ name, spec, want string }{
		{"Pods that end", `{"selector":{"a":"b"},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"restartPolicy":"Never","dnsPolicy":"ClusterFirst",` +
			`"terminationGracePeriodSeconds":1,"containers":[{"name":"c","image":"i","imagePullPolicy":"Always","terminationMessagePolicy":"File"}]}}}`,
			`spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"`},
	} {
		wantErrors(t, c.name, ValidateReplicationController(&corev1.ReplicationController{Spec: *from[corev1.ReplicationControllerSpec](t, c.spec)}), c.want)
	}
	for _, c := range []struct{ name, spec, want string }{
		{"the process of nobody", `{"containers":[{"name":"c"}],"ephemeralContainers":[{"name":"d","image":"i","targetContainerName":"x"}]}`,
			`spec[0].targetContainerName: Not found: "x"`},
		{"the process of a container", `{"containers":[{"name":"c"}],"ephemeralContainers":[{"name":"d","image":"i","targetContainerName":"c"}]}`, ""},
		{"no process", `{"containers":[{"name":"c"}],"ephemeralContainers":[{"name":"d","image":"i"}]}`, ""},
	} {
		var missing field.ErrorList
		for _, err := range validateEphemeralContainers(from[corev1.PodSpec](t, c.spec), field.NewPath("spec")) {
			if err.Type == field.ErrorTypeNotFound {
				missing = append(missing, err)
			}
		}
		wantErrors(t, c.name, missing, c.want)
	}
	mode := int32(01000)
	wantErrors(t, "a Secret's mode", validateVolumeSources(&corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: "s", DefaultMode: &mode}},
		field.NewPath("v")), `v.secret.defaultMode: Invalid value: 512: must be a number between 0 and 0777 (octal), both inclusive`)

	required := `metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval annotation "api-approved.kubernetes.io", ` +
		`see https://github.com/kubernetes/enhancements/pull/1111`
	for group, want := range map[string]string{"k8s.io": required, "a.k8s.io": required, "kubernetes.io": required, "a.kubernetes.io": required,
		"ak8s.io": "", "example.com": ""} {
		crd := &apiextensionsv1.CustomResourceDefinition{}
		crd.Spec.Group = group
		wantErrors(t, group, validateAPIApproval(crd), want)
	}

	node, yes := "n", true
	wantErrors(t, "a device's node", validateNodesOfDevice(&resourcev1.Device{NodeName: &node}, field.NewPath("d"), false),
		"d: Invalid value: null: `nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec")
	if errs := validateDevice(&resourcev1.Device{Name: "d", AllNodes: &yes}, nil, field.NewPath("d"), nil); len(errs) != 1 {
		t.Errorf("all nodes of a device that may not say so: %v", errs)
	}

	nowhere := &corev1.Container{VolumeMounts: []corev1.VolumeMount{{Name: "v"}}}
	wantErrors(t, "a mount nowhere", validateVolumeMounts(nowhere, map[string]bool{"v": true}, field.NewPath("m")),
		"m[0].mountPath: Required value")
	namespace := &corev1.Namespace{}
	namespace.Spec.Finalizers = []corev1.FinalizerName{corev1.FinalizerKubernetes, "orphan", "foregroundDeletion", "example.com/mine"}
	wantErrors(t, "a namespace's finalizers", ValidateNamespace(namespace), "")
	namespace.Spec.Finalizers = []corev1.FinalizerName{"mine"}
	wantErrors(t, "a finalizer of nobody", ValidateNamespace(namespace),
		`spec.finalizers[0]: Invalid value: "mine": name is neither a standard finalizer name nor is it fully qualified`)
	versions := []apiextensionsv1.CustomResourceDefinitionVersion{{Name: "v1", Served: true, Storage: true}}
	for _, schema := range []*apiextensionsv1.CustomResourceValidation{nil, {}} {
		versions[0].Schema = schema
		missing := false
		for _, err := range validateCRDSpec(&apiextensionsv1.CustomResourceDefinitionSpec{Versions: versions}, field.NewPath("spec")) {
			missing = missing || err.Error() == "spec.versions[0].schema.openAPIV3Schema: Required value: schemas are required"
		}
		if !missing {
			t.Errorf("a version with the schema %v is none", schema)
		}
	}
}
