package kubectl

import (
	"reflect"
	"strings"

	"kubewalk/playground/api/apiextensionsv1"
	"kubewalk/playground/api/intstr"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/resource"
)

// builtIn is what a type's fields are, of a kind that no definition describes. There are no descriptions, no enums and no
// formats, because they are larger than all the rest of kubectl.
func builtIn(t reflect.Type) *fieldSchema { return schemaOf(t, nil) }

// plainTypes are types whose JSON is one value.
var plainTypes = map[reflect.Type]bool{
	reflect.TypeFor[metav1.Duration]():   true,
	reflect.TypeFor[resource.Quantity](): true, reflect.TypeFor[intstr.IntOrString](): true, reflect.TypeFor[apiextensionsv1.JSON](): true,
}

func schemaOf(t reflect.Type, inside []reflect.Type) *fieldSchema {
	name := t.Name()
	switch t.Kind() {
	case reflect.Pointer:
		return schemaOf(t.Elem(), inside)
	case reflect.Bool:
		return &fieldSchema{Type: "boolean"}
	case reflect.Int, reflect.Int32, reflect.Int64:
		return &fieldSchema{Type: "integer"}
	case reflect.Float64:
		return &fieldSchema{Type: "number"}
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return &fieldSchema{Type: "string"}
		}
		return &fieldSchema{Type: "array", Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: schemaOf(t.Elem(), inside)}}
	case reflect.Map:
		return &fieldSchema{Type: "object", AdditionalProperties: &apiextensionsv1.JSONSchemaPropsOrBool{Schema: schemaOf(t.Elem(), inside)}}
	case reflect.Struct:
		if t == reflect.TypeFor[metav1.Time]() || t == reflect.TypeFor[metav1.MicroTime]() {
			return &fieldSchema{Type: "string"}
		}
		s := &fieldSchema{Type: "object", Ref: &name}
		for _, outer := range inside {
			if outer == t {
				return s // a schema within a schema, and so on
			}
		}
		if !plainTypes[t] {
			fieldsOf(t, s, append(inside, t))
		}
		return s
	}
	return &fieldSchema{Type: "string"}
}

// markedOtherwise are fields that the API's sources mark as required though JSON may leave them out, or as optional though it does not.
const markedOtherwise = " AzureFilePersistentVolumeSource.secretNamespace CSINodeDriver.topologyKeys ClusterRole.rules ContainerImage.names " +
	"ContainerRestartRule.action ContainerRestartRuleOnExitCodes.operator CronJob.spec CustomResourceDefinitionStatus.acceptedNames " +
	"CustomResourceDefinitionStatus.conditions CustomResourceDefinitionStatus.storedVersions EndpointSlice.endpoints EndpointSlice.ports " +
	"Event.reportingComponent Event.reportingInstance GRPCAction.service HorizontalPodAutoscaler.spec " +
	"HorizontalPodAutoscalerStatus.currentMetrics IPAddress.spec IPAddressSpec.parentRef ImageVolumeStatus.imageRef " +
	"IngressClassParametersReference.scope NetworkPolicySpec.podSelector NodeRuntimeHandler.name ParentReference.name ParentReference.resource " +
	"PodCertificateProjection.keyType PodCertificateProjection.signerName PodDisruptionBudgetStatus.currentHealthy " +
	"PodDisruptionBudgetStatus.desiredHealthy PodDisruptionBudgetStatus.disruptionsAllowed PodDisruptionBudgetStatus.expectedPods " +
	"PodFailurePolicyOnPodConditionsPattern.status PriorityClass.value ProjectedVolumeSource.sources Role.rules RoleRef.apiGroup " +
	"StatefulSetOrdinals.start StatefulSetSpec.serviceName StatefulSetStatus.availableReplicas TypedLocalObjectReference.apiGroup " +
	"TypedObjectReference.apiGroup ValidatingAdmissionPolicyBinding.spec ValidatingAdmissionPolicyBindingSpec.policyName " +
	"ValidatingAdmissionPolicyBindingSpec.validationActions "

// fieldsOf adds a struct's fields, and those of what it embeds. One that may not be left out is required.
func fieldsOf(t reflect.Type, s *fieldSchema, inside []reflect.Type) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			fieldsOf(f.Type, s, inside)
		case name != "" && name != "-":
			if s.Properties == nil {
				s.Properties = map[string]fieldSchema{}
			}
			s.Properties[name] = *schemaOf(f.Type, inside)
			required := !strings.Contains(options, "omitempty") && !strings.Contains(options, "omitzero")
			if required != strings.Contains(markedOtherwise, " "+t.Name()+"."+name+" ") {
				s.Required = append(s.Required, name)
			}
		}
	}
}
