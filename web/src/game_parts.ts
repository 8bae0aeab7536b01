// Parts of views of games that are loaded when they are first shown.

export { ConvertedGame } from "./converted_game.tsx";
export { References } from "./game_references.tsx";
export { MergedGame } from "./merged_game.tsx";
export { StoredRecord } from "./stored_record.tsx";
