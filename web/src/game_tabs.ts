// The tabs of a game that share a file of the script.

export { References } from "./game_references.tsx";
export { StoredRecord } from "./stored_record.tsx";
