/** Custom resource definitions and admission webhooks. Notation: see ../type-table.ts. */
export const extensionTypes = `
package io.k8s.api.admissionregistration.v1 admissionregistration.k8s.io/v1
MatchCondition: expression! string; name! string
MutatingWebhook: admissionReviewVersions! []string; clientConfig! WebhookClientConfig; failurePolicy *string;
  matchConditions []MatchCondition map=name merge=name; matchPolicy *string; name! string; namespaceSelector LabelSelector;
  objectSelector LabelSelector; reinvocationPolicy *string; rules []RuleWithOperations; sideEffects! *string; timeoutSeconds *int32
MutatingWebhookConfiguration kind: metadata ObjectMeta; webhooks []MutatingWebhook map=name merge=name
RuleWithOperations: apiGroups []string; apiVersions []string; operations []string; resources []string; scope string
ServiceReference: name! string; namespace! string; path *string; port *int32
ValidatingWebhook: admissionReviewVersions! []string; clientConfig! WebhookClientConfig; failurePolicy *string;
  matchConditions []MatchCondition map=name merge=name; matchPolicy *string; name! string; namespaceSelector LabelSelector;
  objectSelector LabelSelector; rules []RuleWithOperations; sideEffects! *string; timeoutSeconds *int32
ValidatingWebhookConfiguration kind: metadata ObjectMeta; webhooks []ValidatingWebhook map=name merge=name
WebhookClientConfig: caBundle byte; service ServiceReference; url *string
package io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1 apiextensions.k8s.io/v1
CustomResourceColumnDefinition: description string; format string; jsonPath! string; name! string; priority int32; type! string
CustomResourceConversion: strategy! string; webhook WebhookConversion
CustomResourceDefinition kind: metadata ObjectMeta; spec! CustomResourceDefinitionSpec; status CustomResourceDefinitionStatus
CustomResourceDefinitionCondition: lastTransitionTime date-time; message string; observedGeneration int64; reason string;
  status! string; type! string
CustomResourceDefinitionNames: categories []string; kind! string; listKind string; plural! string; shortNames []string; singular string
CustomResourceDefinitionSpec: conversion CustomResourceConversion; group! string; names! CustomResourceDefinitionNames;
  preserveUnknownFields boolean; scope! string; versions! []CustomResourceDefinitionVersion
CustomResourceDefinitionStatus: acceptedNames CustomResourceDefinitionNames; conditions []CustomResourceDefinitionCondition map=type;
  observedGeneration int64; storedVersions []string
CustomResourceDefinitionVersion: additionalPrinterColumns []CustomResourceColumnDefinition; deprecated boolean;
  deprecationWarning *string; name! string; schema CustomResourceValidation; selectableFields []SelectableField; served! boolean;
  storage! boolean; subresources CustomResourceSubresources
CustomResourceSubresourceScale: labelSelectorPath *string; specReplicasPath! string; statusReplicasPath! string
CustomResourceSubresources: scale CustomResourceSubresourceScale; status object
CustomResourceValidation: openAPIV3Schema JSONSchemaProps
ExternalDocumentation: description string; url string
JSONSchemaProps: $ref *string; $schema string; additionalItems any; additionalProperties any; allOf []JSONSchemaProps;
  anyOf []JSONSchemaProps; default any; definitions {}JSONSchemaProps; dependencies {}any; description string; enum []any; example any;
  exclusiveMaximum boolean; exclusiveMinimum boolean; externalDocs ExternalDocumentation; format string; id string; items any;
  maxItems *int64; maxLength *int64; maxProperties *int64; maximum *number; minItems *int64; minLength *int64; minProperties *int64;
  minimum *number; multipleOf *number; not JSONSchemaProps; nullable boolean; oneOf []JSONSchemaProps; pattern string;
  patternProperties {}JSONSchemaProps; properties {}JSONSchemaProps; required []string; title string; type string; uniqueItems boolean;
  x-kubernetes-embedded-resource boolean; x-kubernetes-int-or-string boolean; x-kubernetes-list-map-keys []string;
  x-kubernetes-list-type *string; x-kubernetes-map-type *string; x-kubernetes-preserve-unknown-fields *boolean;
  x-kubernetes-validations []ValidationRule map=rule merge=rule
SelectableField: jsonPath! string
ServiceReference: name! string; namespace! string; path *string; port *int32
ValidationRule: fieldPath string; message string; messageExpression string; optionalOldSelf *boolean; reason *string; rule! string
WebhookClientConfig: caBundle byte; service ServiceReference; url *string
WebhookConversion: clientConfig WebhookClientConfig; conversionReviewVersions! []string
`;
