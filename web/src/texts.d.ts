/** The address of a file with texts. */
declare module "*.json?url" {
  const url: string;
  export default url;
}
