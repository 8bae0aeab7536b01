// The views that share a file of the script.

export { View as Check } from "./check.tsx";
export { View as Convert } from "./convert.tsx";
export { View as Duplicates } from "./duplicates.tsx";
